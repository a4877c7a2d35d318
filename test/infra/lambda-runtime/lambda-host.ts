import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startKeeper } from '../../support/keeper.js';
import { type Environment, type Job, type Launch, type Outcome, startEnvironment } from './environment.js';
import { startRuntimeApi } from './runtime-api.js';

/*
 * Runs a bundled function as AWS Lambda does. Each execution environment is a process with a clean environment. It
 * serves one invocation at a time, is frozen between invocations, is used again, and is killed at the timeout. Left
 * out: queues and retries (a retry is another `invoke` with the same `requestId`), limits of memory and payload, and
 * Lambda's prefixes on printed lines.
 */

const BOOTSTRAP = fileURLToPath(new URL('./bootstrap.mjs', import.meta.url));
const ACCOUNT = '123456789012';

export interface LambdaSettings {
  /** The path of the Node binary that runs the function. */
  readonly node: string;
  /** @default 'index.handler' */
  readonly handler?: string;
  /** The folder with the handler's module, outside the repository. */
  readonly taskRoot: string;
  readonly functionName: string;
  readonly region: string;
  /** @default 128 */
  readonly memoryMb?: number;
  readonly timeoutMs: number;
  /** The function's own variables. A variable that Lambda sets itself is an error. @default none */
  readonly env?: Readonly<Record<string, string>>;
}

export interface InvokeOptions {
  /** @default a new one */
  readonly requestId?: string;
  /** @default the function's timeout */
  readonly timeoutMs?: number;
  /**
   * How long after the start of the run the process is killed: later than the timeout, if a slow machine must not
   * decide. @default the timeout
   */
  readonly killMs?: number;
}

export type Invocation = Outcome & { readonly requestId: string };

export interface Running {
  readonly requestId: string;
  /** Resolves when the environment is idle again or gone. */
  readonly done: Promise<Invocation>;
  /** Kills the process wherever it is, as if its timeout had come. Throws if the run is over. */
  timeOut(): void;
}

interface Lines {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

export interface LambdaHost {
  start(event: unknown, options?: InvokeOptions): Running;
  /** Does {@link LambdaHost.start} and waits for the result. */
  invoke(event: unknown, options?: InvokeOptions): Promise<Invocation>;
  /** The full lines that all environments have printed, in order. */
  output(): Lines;
  /** Kills every environment. Runs under way end as `crashed`. */
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
    env: (listener) => variables(api.addressFor(listener)),
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
        timeOut: () => environment.timeOut(job),
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

/** Lambda turns off these experimental features of Node 22. */
function flagsOf(nodeMajor: number): string[] {
  return nodeMajor === 22 ? ['--no-experimental-require-module', '--no-experimental-detect-module'] : [];
}

/** All variables of a function's processes, by their runtime API: those that Lambda sets, and the function's own. */
function environmentVariables(settings: LambdaSettings, nodeMajor: number): (api: string) => Record<string, string> {
  const { handler = 'index.handler', taskRoot, functionName, region, memoryMb = 128, env = {} } = settings;
  const date = new Date().toISOString().slice(0, 10).replaceAll('-', '/');
  const reserved = (runtimeApi: string) => ({
    _HANDLER: handler,
    AWS_ACCESS_KEY_ID: 'ASIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
    AWS_SESSION_TOKEN: 'example',
    AWS_DEFAULT_REGION: region,
    AWS_REGION: region,
    AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${nodeMajor}.x`,
    AWS_LAMBDA_FUNCTION_NAME: functionName,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${functionName}`,
    AWS_LAMBDA_LOG_STREAM_NAME: `${date}/[$LATEST]${randomBytes(16).toString('hex')}`,
    AWS_LAMBDA_RUNTIME_API: runtimeApi,
    LAMBDA_TASK_ROOT: taskRoot,
  });
  const refused = Object.keys(reserved('')).filter((name) => name in env);
  if (refused.length > 0) throw new Error(`Lambda lets no function set ${refused.join(', ')}; leave it out of \`env\``);
  return (api) => ({ PATH: '/usr/local/bin:/usr/bin:/bin', TZ: ':UTC', ...env, ...reserved(api) });
}

/** Collects what processes print, in files. Unlike a pipe, a file has everything when the process has ended. */
async function openPrinted() {
  const folder = await mkdtemp(join(tmpdir(), 'printed-'));
  const [stdout = 0, stderr = 0] = ['stdout', 'stderr'].map((name) => openSync(join(folder, name), 'a+'));
  // Remove the names of the files. The files themselves go when the last process closes them.
  await rm(folder, { recursive: true });
  const read = (): Lines => ({ stdout: linesIn(stdout), stderr: linesIn(stderr) });
  let kept: Lines | undefined;
  return {
    descriptors: { stdout, stderr },
    lines: () => kept ?? read(),
    close() {
      kept = read();
      for (const descriptor of [stdout, stderr]) closeSync(descriptor);
    },
  };
}

function linesIn(descriptor: number): readonly string[] {
  const content = Buffer.alloc(fstatSync(descriptor).size);
  readSync(descriptor, content, 0, content.length, 0);
  return content.toString().split('\n').slice(0, -1);
}
