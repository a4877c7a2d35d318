import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { bundledProgram } from '../support/bundled-program.js';
import { heard } from '../support/last-words.js';

/**
 * The beginning of every program. The program runs until it is ended, and prints a line for each thing that happens.
 */
const START = `
  import { createInterface } from 'node:readline';
  const [, redisUrl, library] = process.argv;
  const { gate, memoryStore, Redis, redisStore, untilShutdown, withSingleExecution } = await import(library);
  const say = (...words) => console.log(words.join(' '));
  const words = new Map();
  const wordOf = (text) => {
    if (!words.has(text)) words.set(text, gate());
    return words.get(text);
  };
  createInterface(process.stdin).on('line', (text) => {
    say('heard', text);
    wordOf(text).open();
  });
  const told = (text) => wordOf(text).opened;
  const store = redisStore({ client: new Redis(redisUrl, { maxRetriesPerRequest: 0 }) });
  const options = { name: 'digest', store, lockAtMostFor: '1m', tick: () => new Date().setUTCHours(0, 0, 0, 0) };
  const wrap = (job, over) =>
    withSingleExecution(job, { ...options, observers: [({ type, name }) => say(name, type)], ...over });
  const aborted = ({ signal }) =>
    new Promise((resolve) => {
      const tell = () => resolve(say('aborted', signal.reason.name, signal.reason.code));
      if (signal.aborted) tell();
      else signal.addEventListener('abort', tell);
    });
  const obey = async (execution) => {
    await aborted(execution);
    throw execution.signal.reason;
  };
  const settleWhenTold = (word) => async (execution) => {
    await aborted(execution);
    await told(word);
    say(execution.name, 'settled');
  };
  const call = (job) =>
    job().then(() => say('fulfilled'), (error) => say('rejected', error.name, error.code));`;

/** A process of its own that runs wrapped functions. */
export interface Program {
  /** The lines that the program has printed. */
  readonly lines: readonly string[];
  /** What the program has written on stderr. */
  errors(): string;
  /** Resolves when the program has printed this line. */
  until(line: string): Promise<void>;
  /** Resolves to the rest of the first line that begins with this word. */
  said(word: string): Promise<string>;
  /** Sends a word. Resolves when the program has received it. */
  tell(word: string): Promise<void>;
  sigterm(): void;
  send(signal: NodeJS.Signals): void;
  /**
   * Resolves when the program has gone round its event loop once more, and so has handled all signals that were sent
   * before.
   */
  turn(): Promise<void>;
  /** How the program ended: its exit code, or the signal. */
  readonly ended: Promise<number | string>;
  /** How the program ended, if nothing can delay its end. Rejects if it goes on instead. */
  endedAtOnce(): Promise<number | string>;
}

export interface Programs {
  start(program: string): Program;
  /** Ends all programs that still run. */
  end(): void;
  remove(): Promise<void>;
}

/** Prepares programs that keep their locks in a Redis. @param cwd the folder whose packages they import */
export async function preparePrograms(redisUrl: string, cwd?: string): Promise<Programs> {
  const { path, remove } = await bundledProgram(new URL('program-library.ts', import.meta.url));
  const started = new Set<ChildProcess>();
  return {
    start(program) {
      const args = ['--input-type=module', '--eval', START + program, redisUrl, path];
      const child = heard(spawn(process.execPath, args, { cwd, stdio: 'pipe' }));
      started.add(child);
      return programOf(child);
    },
    end() {
      for (const child of started) child.kill('SIGKILL');
      started.clear();
    },
    remove,
  };
}

/** A program that a signal ends at once may go round its event loop a few times more. */
const MOST_TURNS = 50;

function programOf(child: ChildProcessWithoutNullStreams): Program {
  // The program may end before it receives the word.
  child.stdin.on('error', () => {});
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const [all, lines]: [Set<string>, string[]] = [new Set(), []];
  const reader = createInterface(child.stdout).on('line', (line) => {
    all.add(line);
    if (!line.startsWith('heard ')) lines.push(line);
  });
  const closed = Promise.all([once(child, 'exit'), once(reader, 'close'), once(child.stderr, 'close')]);

  const first = async (what: string, fits: (line: string) => boolean) => {
    let hasEnded = false;
    const end = closed.then(() => {
      hasEnded = true;
    });
    for (;;) {
      const found = [...all].find(fits);
      if (found !== undefined) return found;
      if (hasEnded) throw new Error(`the program ended without '${what}'; it said:\n${lines.join('\n')}\n${errors}`);
      await Promise.race([once(reader, 'line'), end]);
    }
  };
  const until = async (line: string) => void (await first(line, (one) => one === line));
  const tell = (word: string) => {
    child.stdin.write(`${word}\n`);
    return until(`heard ${word}`);
  };
  let turns = 0;
  const turn = async () => {
    for (let i = 0; i < 2; i++) await tell(`turn ${++turns}`);
  };
  const ended = closed.then(([[code, signal]]) => (signal ?? code) as number | string);
  return {
    lines,
    errors: () => errors,
    until,
    said: async (word) => (await first(word, (line) => line.startsWith(`${word} `))).slice(word.length + 1),
    tell,
    sigterm: () => void child.kill('SIGTERM'),
    send: (signal) => void child.kill(signal),
    turn,
    ended,
    async endedAtOnce() {
      for (let i = 0; i < MOST_TURNS; i++) {
        const end = await Promise.race([ended, turn().catch(() => ended)]);
        if (end !== undefined) return end;
      }
      throw new Error(`the program goes on; it said:\n${lines.join('\n')}\n${errors}`);
    },
  };
}
