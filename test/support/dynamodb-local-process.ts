import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const KEEPER = fileURLToPath(new URL('./dynamodb-local-keeper.mjs', import.meta.url));
const START_MS = 60_000;
/** A test run ends before code that took long to compile has paid. */
const JAVA_OPTIONS = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';

export interface DynamoDBLocalProcess {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Starts the real DynamoDB Local in memory on a free port; it ends with `stop()` or with this process. */
export async function startDynamoDBLocal(): Promise<DynamoDBLocalProcess> {
  await requireJava17();
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const keeper = spawn(process.execPath, [KEEPER, String(port)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, DDB_LOCAL_TELEMETRY: '0', JDK_JAVA_OPTIONS: JAVA_OPTIONS },
  });
  let output = '';
  for (const stream of [keeper.stdout, keeper.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-4_000);
    });
  }
  try {
    await untilAnswering(endpoint, keeper);
  } catch (error) {
    await end(keeper);
    throw new Error(`DynamoDB Local did not start on ${endpoint}; its last output:\n${output}`, { cause: error });
  }
  return { endpoint, stop: () => end(keeper) };
}

/** @throws Error where it is not on the PATH */
export async function requireJava17(): Promise<void> {
  const remedy = 'DynamoDB Local needs Java 17 or newer on the PATH (Debian: apt-get install openjdk-17-jre-headless)';
  const { stderr } = await promisify(execFile)('java', ['-version']).catch((error: Error) => {
    throw new Error(`${remedy}; \`java -version\` failed: ${error.message}`);
  });
  const major = Number(/version "(\d+)/.exec(stderr)?.[1]);
  if (!(major >= 17)) throw new Error(`${remedy}; \`java -version\` says: ${stderr.split('\n', 1)[0]}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No free TCP port');
  return address.port;
}

async function untilAnswering(endpoint: string, keeper: ChildProcess): Promise<void> {
  const giveUpAt = Date.now() + START_MS;
  while (Date.now() < giveUpAt) {
    if (keeper.exitCode !== null) throw new Error(`It exited with code ${keeper.exitCode}`);
    // Any HTTP answer will do: without a signature DynamoDB Local answers 400.
    const answered = await fetch(endpoint, { signal: AbortSignal.timeout(1_000) }).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await sleep(50);
  }
  throw new Error(`No answer within ${START_MS} ms`);
}

async function end(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode !== null || keeper.signalCode !== null) return;
  const exited = new Promise((resolve) => keeper.once('exit', resolve));
  keeper.stdin?.end();
  await exited;
}
