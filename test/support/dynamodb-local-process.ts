import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort, HOST, type KeptServer, startKept } from './kept-server.js';

const START_MS = 180_000;
/** A test run is too short for optimised code to pay off, and nobody reads the traces of exceptions. */
const JAVA_OPTIONS = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-StackTraceInThrowable';

export interface DynamoDBLocalProcess extends KeptServer {
  readonly endpoint: string;
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
    // Any HTTP answer shows that it is ready: without a signature, DynamoDB Local answers 400.
    isReady: () =>
      fetch(endpoint, { signal: AbortSignal.timeout(10_000) }).then(
        () => true,
        () => false,
      ),
  });
  return { endpoint, ...kept };
}

/** @throws Error if Java 17 is not on the PATH */
export async function requireJava17(): Promise<void> {
  const remedy = 'DynamoDB Local needs Java 17 or newer on the PATH (Debian: apt-get install openjdk-17-jre-headless)';
  const { stderr } = await promisify(execFile)('java', ['-version']).catch((error: Error) => {
    throw new Error(`${remedy}; \`java -version\` failed: ${error.message}`);
  });
  const major = Number(/version "(\d+)/.exec(stderr)?.[1]);
  if (!(major >= 17)) throw new Error(`${remedy}; \`java -version\` says: ${stderr.split('\n', 1)[0]}`);
}
