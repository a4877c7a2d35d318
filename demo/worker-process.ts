import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Call, isReply, type Reply } from './call.js';

/** How much of what a worker says is shown when it does not start. */
const MAX_LINES_SHOWN = 20;

/** A worker process, from the outside. */
export interface WorkerProcess {
  /** What the handler returned or threw, or how the process was killed. */
  invoke(call: Call): Promise<Reply | 'killed' | 'timed out'>;
  /** Whether it can take another invocation. */
  isAlive(): boolean;
  /** Ends it at once, as an operator's kill -9 or a crash of the host does. */
  kill(): void;
  /** Ends it in good order. */
  stop(): Promise<void>;
}

/** Starts a worker and waits until its functions are loaded. Lines that it writes to stderr go to `onLine`. */
export async function startWorkerProcess(
  env: Readonly<Record<string, string>>,
  onLine: (line: string) => void,
): Promise<WorkerProcess> {
  const child = fork(fileURLToPath(new URL('./worker.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const exited = once(child, 'exit');
  const said: string[] = [];
  if (child.stderr) {
    createInterface(child.stderr).on('line', (line) => {
      if (said.length < MAX_LINES_SHOWN) said.push(line);
      onLine(line);
    });
  }
  await Promise.race([
    once(child, 'message'),
    exited.then(([code]) =>
      Promise.reject(new Error(`a worker did not start: it exited with code ${code}\n${said.join('\n')}`)),
    ),
  ]);
  return {
    invoke: (call) => invoke(child, exited, call),
    isAlive: () => child.connected && !child.killed,
    kill: () => void child.kill('SIGKILL'),
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

async function invoke(
  child: ChildProcess,
  exited: Promise<unknown>,
  call: Call,
): Promise<Reply | 'killed' | 'timed out'> {
  let timedOut = false;
  // Lambda ends an environment whose invocation is out of time.
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill('SIGKILL');
  }, call.remainingMs);
  const replied = new Promise<Reply>((resolve) => {
    const onMessage = (message: unknown) => {
      if (!isReply(message) || message.id !== call.id) return;
      child.off('message', onMessage);
      resolve(message);
    };
    child.on('message', onMessage);
  });
  // One that is dead already is told by its exit.
  child.send(call, () => undefined);
  const died = exited.then(() => (timedOut ? ('timed out' as const) : ('killed' as const)));
  try {
    return await Promise.race([replied, died]);
  } finally {
    clearTimeout(timer);
  }
}
