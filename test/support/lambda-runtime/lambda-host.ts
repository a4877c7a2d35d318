import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Environment, type Job, type Launch, type Outcome, startEnvironment } from './environment.js';
import { environmentVariables, type FunctionSettings } from './environment-variables.js';
import { startKeeper } from './keeper.js';
import { type Lines, openPrinted } from './printed.js';
import { startRuntimeApi } from './runtime-api.js';

/*
 * Runs a bundled function as AWS Lambda does: each execution environment is a process of its own with a clean
 * environment, serves one invocation at a time, is frozen in between and used again, and is killed when time is up.
 * Not played: queues and retries (a retry is another `invoke` with the same `requestId`), memory and payload limits,
 * and Lambda's prefixes on what is printed.
 */

const BOOTSTRAP = fileURLToPath(new URL('./bootstrap.mjs', import.meta.url));
const ACCOUNT = '123456789012';

export interface LambdaSettings extends FunctionSettings {
  /** The path of the Node binary that runs the function. */
  readonly node: string;
  readonly timeoutMs: number;
}

export interface InvokeOptions {
  /** @default a new one */
  readonly requestId?: string;
  /** @default that of the function */
  readonly timeoutMs?: number;
  /** When it is killed: later than its timeout where a slow machine must not decide. @default at its timeout */
  readonly killMs?: number;
}

export type Invocation = Outcome & { readonly requestId: string };

export interface Running {
  readonly requestId: string;
  /** When the environment is idle again, or gone. */
  readonly done: Promise<Invocation>;
  /** Stops the process wherever it is, as if it hung; its time runs on. Throws when the run is over. */
  pause(): void;
}

export interface LambdaHost {
  start(event: unknown, options?: InvokeOptions): Running;
  /** {@link LambdaHost.start} and wait. */
  invoke(event: unknown, options?: InvokeOptions): Promise<Invocation>;
  /** The lines that all environments have printed, in the order of their printing. */
  output(): Lines;
  /** Kills every environment; runs under way end as crashed. */
  stop(): Promise<void>;
}

export async function startLambda(settings: LambdaSettings): Promise<LambdaHost> {
  const { node, taskRoot, functionName, region } = settings;
  const { stdout: version } = await promisify(execFile)(node, ['--version']);
  const nodeMajor = Number.parseInt(version.slice(1), 10);
  const variables = environmentVariables(settings, nodeMajor);
  await access(taskRoot);
  const functionArn = `arn:aws:lambda:${region}:${ACCOUNT}:function:${functionName}`;

  const api = await startRuntimeApi();
  const keeper = startKeeper();
  const printed = await openPrinted();
  const environments = new Set<Environment>();
  const idle: Environment[] = [];
  let stopped = false;

  const launch: Launch = {
    command: node,
    args: [...flagsOf(nodeMajor), BOOTSTRAP],
    cwd: taskRoot,
    env: (listener) => variables({ runtimeApi: api.addressFor(listener), logStreamName: logStream() }),
    ...printed.descriptors,
    onIdle: (environment) => idle.push(environment),
    onExit(environment) {
      environments.delete(environment);
      if (idle.includes(environment)) idle.splice(idle.indexOf(environment), 1);
      keeper.delete(environment.pid);
    },
  };
  const environmentFor = (job: Job): Environment => {
    const warm = idle.pop();
    warm?.serve(job);
    if (warm) return warm;
    const cold = startEnvironment(launch, job);
    keeper.add(cold.pid);
    environments.add(cold);
    return cold;
  };

  const host: LambdaHost = {
    start(event, { requestId = randomUUID(), timeoutMs = settings.timeoutMs, killMs } = {}) {
      if (stopped) throw new Error('The Lambda host is stopped');
      let onOver: (outcome: Outcome) => void = () => {};
      const over = new Promise<Outcome>((resolve) => {
        onOver = resolve;
      });
      const body = JSON.stringify(event ?? null);
      const job: Job = { requestId, event: body, functionArn, timeoutMs, killMs, onOver };
      const environment = environmentFor(job);
      return {
        requestId,
        done: over.then((outcome) => ({ requestId, ...outcome })),
        pause: () => environment.pause(job),
      };
    },
    invoke: (event, options) => host.start(event, options).done,
    output: () => printed.lines(),
    async stop() {
      if (stopped) return;
      stopped = true;
      await Promise.all([...environments].map((environment) => environment.kill()));
      await Promise.all([keeper.stop(), api.stop()]);
      printed.close();
    },
  };
  return host;
}

/** Lambda turns off what is experimental in Node 22. */
function flagsOf(nodeMajor: number): string[] {
  return nodeMajor === 22 ? ['--no-experimental-require-module', '--no-experimental-detect-module'] : [];
}

function logStream(): string {
  return `${new Date().toISOString().slice(0, 10).replaceAll('-', '/')}/[$LATEST]${randomBytes(16).toString('hex')}`;
}
