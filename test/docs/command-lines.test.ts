import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readCommandLine } from '../../src/cli/command-line.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { examplesOf } from './examples.js';
import { PAGES, read } from './page.js';

/** A command line in a block, perhaps behind a prompt, or in a sentence. */
const COMMAND_LINE = /^(?:\$ )?(?:npx (?:-y |-p \S+ )*)?single-execution ([a-z].*)$|`npx single-execution ([^`]+)`/gm;

const lines = PAGES.flatMap((page) =>
  [...read(page).matchAll(COMMAND_LINE)].map(([, line, inline = '']) => ({ page, line: line ?? inline })),
);

test('every command line in the pages is one that the tool takes', () => {
  expect(lines.length).toBeGreaterThan(40);
  expect(
    lines.flatMap(({ page, line }) => problemOf(wordsOf(line)).map((problem) => `${page}: ${line}: ${problem}`)),
  ).toEqual([]);
});

/** For each object whose lists `entryPoint`, `command` and `args` call the tool: the words after the tool. */
function listedCommands(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  const { command = [], args = [], entryPoint = [] } = value as Readonly<Record<string, string[]>>;
  const words = [...entryPoint, ...command, ...args];
  const tool = words.findIndex((word) => /^node_modules\/.bin\/single-execution$/.test(word));
  return [...(tool < 0 ? [] : [words.slice(tool + 1)]), ...Object.values(value).flatMap(listedCommands)];
}

test('every file of docs/deploy/commands.md runs a command line that the tool takes', () => {
  const page = 'docs/deploy/commands.md';
  const [crontab, ...files] = ['text', 'yaml', 'json'].flatMap((language) => examplesOf(page, language));
  const [kubernetes, actions, ecs] = files.map(({ code }) => parse(code));
  const listed = [kubernetes, ecs].map((file) => listedCommands(file).flat());
  const typed = [crontab?.code, actions.jobs.backup.steps.at(-1).run].map((line: string) => {
    const [, words = ''] = /node_modules\/.bin\/single-execution (.*?)(?: \|\| .*)?$/m.exec(line) ?? [];
    return wordsOf(words);
  });

  const asScheduled = [[...(listed[0] ?? [])].toSpliced(3, 2), listed[1], ...typed];
  expect(listed[0]?.slice(3, 5)).toEqual(['--tick-from', 'kubernetes']);
  for (const words of asScheduled) {
    const line = words?.filter((word) => word !== '--quiet').join(' ');
    expect(line).toBe('run --name backup --schedule 0 2 * * * -- ./backup.sh');
  }
  for (const words of [...listed, ...typed]) expect(problemOf(words)).toEqual([]);
  // What the controller names after the scheduled time is the Job, and its pods have the name as this label.
  const { containers } = kubernetes.spec.jobTemplate.spec.template.spec;
  expect(containers[0].env).toContainEqual({
    name: 'JOB_NAME',
    valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-name']" } },
  });
});

test.each([
  ['lock send-digest', 'there is no such command'],
  ['ls --tabel locks', "unknown option '--tabel' of ls"],
  ['show --table locks', 'show needs more'],
  ['why send-digest --tick', '--tick needs a value'],
])('the check of the command lines finds what is wrong with: %s', (line, problem) => {
  expect(problemOf(wordsOf(line))).toEqual([expect.stringContaining(problem)]);
});

function problemOf(words: readonly string[]): string[] {
  const command = COMMANDS.find(({ name }) => name.split(' ').every((word, index) => words[index] === word));
  if (!command) return ['there is no such command'];
  const args = words.slice(command.name.split(' ').length);
  // A sentence may name a command without its arguments.
  if (args.length === 0) return [];
  try {
    readCommandLine(command, args);
    return [];
  } catch (error) {
    return [String(error)];
  }
}

/** The words of a command line, as a shell splits it. `$(…)` is one word. */
function wordsOf(line: string): string[] {
  const words = line.replaceAll(/\$\(.*?\)/g, 'WORD').match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return words.map((word) => word.replaceAll(/^['"]|['"]$/g, ''));
}
