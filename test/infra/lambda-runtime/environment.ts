import { type ChildProcess, spawn } from 'node:child_process';
import type { Handed, Reported, RuntimeListener } from './runtime-api.js';

/** How long a module may load. Lambda ends it after 10 s, which a busy machine may need. */
const INIT_MS = 60_000;

/** How a run ended. The first report of the runtime counts, even if its process dies afterwards. */
export type Outcome =
  | Reported
  | { readonly status: 'timed-out' }
  /** The process died without a report. */
  | { readonly status: 'crashed'; readonly exitCode: number | null; readonly signal: NodeJS.Signals | null };

export interface Job extends Omit<Handed, 'deadlineMs'> {
  readonly timeoutMs: number;
  /** How long after the start of the run the process is killed. @default `timeoutMs` */
  readonly killMs?: number | undefined;
  onOver(outcome: Outcome): void;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  env(listener: RuntimeListener): Record<string, string>;
  /** File descriptors. */
  readonly stdout: number;
  readonly stderr: number;
  onIdle(environment: Environment): void;
  onExit(environment: Environment): void;
}

/** A process that serves one invocation at a time, and is frozen between invocations. */
export interface Environment {
  readonly pid: number;
  /** Serves a job; allowed only if idle. */
  serve(job: Job): void;
  /** Ends the job as its timeout does. Throws if the job is over. */
  timeOut(job: Job): void;
  kill(): Promise<void>;
}

export function startEnvironment(launch: Launch, first: Job): Environment {
  let job: Job | undefined = first;
  let outcome: Outcome | undefined;
  let hand: ((invocation: Handed) => void) | undefined;
  let timer: NodeJS.Timeout | undefined;

  const timeOut = () => {
    outcome ??= { status: 'timed-out' };
    child.kill('SIGKILL');
  };
  const limit = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(timeOut, ms);
  };
  const handOver = () => {
    if (!job || !hand) return;
    limit(job.killMs ?? job.timeoutMs);
    child.kill('SIGCONT');
    hand({ ...job, deadlineMs: Date.now() + job.timeoutMs });
    hand = undefined;
  };
  const end = (result: Outcome) => {
    clearTimeout(timer);
    const ended = job;
    job = outcome = undefined;
    ended?.onOver(result);
  };

  const listener: RuntimeListener = {
    onNext(waiting) {
      hand = waiting;
      if (!outcome) return handOver();
      child.kill('SIGSTOP');
      launch.onIdle(environment);
      end(outcome);
    },
    onReport(reported) {
      if (job) outcome ??= reported;
    },
  };
  const child: ChildProcess = spawn(launch.command, launch.args, {
    cwd: launch.cwd,
    env: launch.env(listener),
    stdio: ['ignore', launch.stdout, launch.stderr],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${launch.command} could not be started in ${launch.cwd}`);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (exitCode, signal) => {
      launch.onExit(environment);
      end(outcome ?? { status: 'crashed', exitCode, signal });
      resolve();
    });
  });

  const environment: Environment = {
    pid,
    serve(next) {
      job = next;
      handOver();
    },
    timeOut(served) {
      if (job !== served) throw new Error(`run ${served.requestId} is over`);
      timeOut();
    },
    kill() {
      child.kill('SIGKILL');
      return exited;
    },
  };
  limit(INIT_MS);
  return environment;
}
