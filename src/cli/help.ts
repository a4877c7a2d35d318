import type { Command } from './command.js';
import { optionsOf } from './command-line.js';
import { either } from './exit-code.js';
import type { Option, Options } from './option.js';
import { KINDS, spelledOption } from './store/kinds.js';

const WIDTH = 80;
const EXIT_CODES = '0 done, 1 failed, 2 wrong use, 3 not found';

/** The list of all commands. */
export function overview(commands: readonly Command[], version: string): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const options = KINDS.map((kind) => {
    const isNamed = kind.option.includes(kind.name);
    return isNamed ? spelledOption(kind) : `${spelledOption(kind)} (${kind.title})`;
  });
  const variables = [...new Set(KINDS.flatMap(({ variable }) => [variable?.name ?? [], variable?.or ?? []].flat()))];
  return [
    `single-execution ${version}: see and steer the locks of cron-triggered functions`,
    '',
    'usage: single-execution COMMAND [OPTIONS]',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    ...wrapped(`The locks are in ${either(options)}; else in ${either(variables)} of the environment.`, 0),
    `Exit codes: ${EXIT_CODES}; check has one more, run three.`,
    'single-execution COMMAND --help explains a command, with an example.',
  ].join('\n');
}

/** The page of one command. */
export function helpOf(command: Command): string {
  const { name, summary, usage, about, options, examples } = command;
  const all = Object.entries(optionsOf(command));
  const others = Object.fromEntries(all.filter(([option]) => !(option in options)));
  return [
    ...section('NAME', [`single-execution ${name}: ${summary}`]),
    ...section('SYNOPSIS', [`single-execution ${name}${withOptions(usage && ` ${usage}`)}`]),
    ...(about.length > 0
      ? section(
          'DESCRIPTION',
          about.flatMap((text, i) => (i === 0 ? [text] : ['', text])),
        )
      : []),
    ...(Object.keys(options).length > 0 ? optionSection('OPTIONS', options) : []),
    ...optionSection('COMMON OPTIONS', others),
    ...section('EXIT CODES', [EXIT_CODES]),
    ...section('EXAMPLE', examples).slice(0, -1),
  ].join('\n');
}

/** Puts `[OPTIONS]` before `--`: the words after it belong to another command. */
function withOptions(usage: string): string {
  return usage.replace(/ -- |$/, ' [OPTIONS]$&');
}

function section(title: string, lines: readonly string[]): string[] {
  return [title, ...lines.flatMap((line) => wrapped(line, 4)), ''];
}

function optionSection(title: string, options: Options): string[] {
  const lines = Object.entries(options).flatMap(([name, option]) => [
    `    ${spelled(name, option)}`,
    ...wrapped(option.help, 8),
  ]);
  return [title, ...lines, ''];
}

function spelled(name: string, { value, short }: Option): string {
  return `${short ? `-${short}, ` : ''}--${name}${value === undefined ? '' : ` ${value}`}`;
}

/** A paragraph as indented lines. */
function wrapped(text: string, indent: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && indent + line.length + 1 + word.length <= WIDTH)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => (line === '' ? '' : ' '.repeat(indent) + line));
}
