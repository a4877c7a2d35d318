import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCommandLine } from '../../src/cli/command-line.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { PAGES } from './examples.js';

/** Of a block, where a prompt may stand in front, or of a sentence. */
const COMMAND_LINE = /^(?:\$ )?(?:npx (?:-y |-p \S+ )*)?single-execution ([a-z].*)$|`npx single-execution ([^`]+)`/gm;

const lines = PAGES.flatMap((page) => {
  const text = readFileSync(join(import.meta.dirname, '../..', page), 'utf8');
  return [...text.matchAll(COMMAND_LINE)].map(([, line, inline = '']) => ({ page, line: line ?? inline }));
});

test('every command line in the pages is one that the tool takes', () => {
  expect(lines.length).toBeGreaterThan(40);
  expect(lines.flatMap(({ page, line }) => problemOf(line).map((problem) => `${page}: ${line}: ${problem}`))).toEqual(
    [],
  );
});

test.each([
  ['lock send-digest', 'there is no such command'],
  ['ls --tabel locks', "unknown option '--tabel' of ls"],
  ['show --table locks', 'show needs more'],
  ['why send-digest --tick', '--tick needs a value'],
])('the check of the command lines finds what is wrong with: %s', (line, problem) => {
  expect(problemOf(line)).toEqual([expect.stringContaining(problem)]);
});

function problemOf(line: string): string[] {
  const words = wordsOf(line);
  const command = COMMANDS.find(({ name }) => name.split(' ').every((word, index) => words[index] === word));
  if (!command) return ['there is no such command'];
  const args = words.slice(command.name.split(' ').length);
  // A sentence may name a command without what it takes.
  if (args.length === 0) return [];
  try {
    readCommandLine(command, args);
    return [];
  } catch (error) {
    return [String(error)];
  }
}

/** As a shell takes them apart; what another command prints is one word. */
function wordsOf(line: string): string[] {
  const words = line.replaceAll(/\$\(.*?\)/g, 'WORD').match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return words.map((word) => word.replaceAll(/^['"]|['"]$/g, ''));
}
