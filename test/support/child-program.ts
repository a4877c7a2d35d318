import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { type Keeper, startKeeper } from './keeper.js';
import { heard } from './last-words.js';

/** A line of JSON that a program has printed. */
export type Said = Readonly<Record<string, unknown>>;

export interface ChildProgram {
  readonly pid: number;
  said(): readonly Said[];
  /** Resolves to the first line with this `said` that fits. Rejects if the program ends without such a line. */
  until(word: string, fits?: (line: Said) => boolean): Promise<Said>;
  /** Writes a line to the program's stdin. */
  tell(line: string): void;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null; readonly stderr: string }>;
}

/** The processes of one test file. None of them outlives the file, however it ends. */
export interface ChildPrograms {
  /** Runs a program with `order` as JSON in its first argument, and with these variables added to its parent's. */
  start(
    path: string,
    order: object,
    nodeOptions?: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): ChildProgram;
  stop(): Promise<void>;
}

export function childPrograms(): ChildPrograms {
  const keeper = startKeeper();
  const running = new Set<ChildProgram>();
  return {
    start(path, order, nodeOptions = [], env = {}) {
      const program = startChild(keeper, [...nodeOptions, path, JSON.stringify(order)], env);
      running.add(program);
      void program.ended.then(() => running.delete(program));
      return program;
    },
    async stop() {
      const left = [...running];
      for (const program of left) program.kill('SIGKILL');
      await Promise.all(left.map(({ ended }) => ended));
      await keeper.stop();
    },
  };
}

function startChild(keeper: Keeper, args: readonly string[], own: Readonly<Record<string, string>>): ChildProgram {
  const env = { ...process.env, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true', ...own };
  const child = heard(spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'pipe'] }));
  const { pid } = child;
  if (pid === undefined) throw new Error(`${args[0]} did not start`);
  keeper.add(pid);
  // Ignore errors of stdin: a process that was killed reads nothing any more.
  child.stdin.on('error', () => undefined);
  const stderr = text(child.stderr);
  const ended = once(child, 'close').then(async ([code, signal]) => {
    keeper.delete(pid);
    return { code, signal, stderr: await stderr };
  });

  const lines: Said[] = [];
  const listeners = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line));
    for (const listener of listeners) listener();
  });

  return {
    pid,
    said: () => lines,
    until: (word, fits = () => true) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = lines.find((line) => line['said'] === word && fits(line));
          if (!found) return;
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        look();
        void ended.then((end) => reject(new Error(`ended before it said ${word}: ${JSON.stringify(end)}`)));
      }),
    tell: (line) => void child.stdin.write(`${line}\n`),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}
