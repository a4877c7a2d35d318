import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Environment } from './option.js';
import { safeJson, safeText, withoutSecrets } from './safe-text.js';

export type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

const CODES: Readonly<Record<Colour, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
};

/** A part of a line. Control characters in its text are shown; the terminal does not obey them. */
export interface Styled {
  readonly text: string;
  readonly colour?: Colour | undefined;
}

/** The terminal of a command, for output and questions. It makes every text safe before writing it. */
export interface Terminal {
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  /** Writes a line to stdout. */
  line(...parts: readonly (string | Styled)[]): void;
  json(value: unknown): void;
  /** Writes a line to stderr. */
  note(text: string): void;
  /** Writes a value to stderr as one line of JSON. */
  noteJson(value: unknown): void;
  /** Asks a yes-or-no question; any answer but a clear yes is a no. */
  confirm(question: string): Promise<boolean>;
  /** Clears the screen. */
  clear(): void;
}

interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** @param secrets what a line to stderr never shows */
export function openTerminal(
  { stdin, stdout, stderr }: Streams,
  env: Environment,
  secrets: readonly string[],
): Terminal {
  const hasColour = Boolean(stdout.isTTY) && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const paint = (part: string | Styled) => {
    const { text, colour } = typeof part === 'string' ? { text: part } : part;
    const [on, off] = colour ? CODES[colour] : [];
    return hasColour && on !== undefined ? `\x1b[${on}m${safeText(text)}\x1b[${off}m` : safeText(text);
  };
  const note = (text: string) => void stderr.write(`${safeText(withoutSecrets(text, secrets))}\n`);
  // Ignore errors of the streams: the reader of a pipe may end at any time.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  return {
    isInteractive: Boolean(stdin.isTTY && stdout.isTTY),
    line: (...parts) => void stdout.write(`${parts.map(paint).join('').trimEnd()}\n`),
    json: (value) => void stdout.write(`${safeJson(value)}\n`),
    note,
    noteJson: (value) => void stderr.write(`${safeJson(value, 0)}\n`),
    async confirm(question) {
      const reader = createInterface({ input: stdin, output: stderr });
      try {
        stderr.write(`${safeText(question)} [y/N] `);
        const ended = once(reader, 'close').then(() => ['']);
        const [answer] = (await Promise.race([once(reader, 'line'), ended])) as [string];
        return /^y(es)?$/i.test(answer.trim());
      } finally {
        reader.close();
      }
    },
    clear: () => void stdout.write('\x1b[H\x1b[2J\x1b[3J'),
  };
}
