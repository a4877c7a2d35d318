import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { DeleteItemCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Redis } from 'ioredis';
import cron from 'node-cron';
import { executeWithLock } from 'single-execution';
import { createLockTable, dynamoDBStore } from 'single-execution/dynamodb';
import { unused, use } from './example-uses.js';
import { redirectPorts, stayHere } from './stay-here.js';

/*
 * Runs examples one after the other. The runner is a process, so that the connections, timers and mocks that examples
 * leave end with it. It loads each example, uses its exports, calls its scheduled tasks, and synthesises its CDK apps.
 * It prints, in lines of JSON, which example begins and what was wrong with it.
 */

export interface Order {
  readonly examples: readonly ExampleFile[];
  /** By the port that examples name: the port of the test's server. */
  readonly ports: Readonly<Record<number, number>>;
  /** The Redis servers of the examples. */
  readonly redisUrls: readonly string[];
}

export interface ExampleFile {
  readonly name: string;
  readonly path: string;
  /** The doors that it imports, as example-uses.ts has them. */
  readonly doors: readonly string[];
  readonly results: number;
  /** The value of `LOCK_TABLE` for the example. */
  readonly lockTable: string;
}

/** Ends what hangs: less than the test has for all examples. */
const LONGEST_MS = 300_000;
const KEYS = { locks: ['lockName'], jobs: ['pk', 'sk'] };
const DAY_MS = 86_400_000;

const say = process.stdout.write.bind(process.stdout);
const { examples, ports, redisUrls }: Order = JSON.parse(process.argv[2] ?? '');
const dynamodb = new DynamoDBClient({});
const redises = redisUrls.map((url) => new Redis(url));

let wrongResults: string[] = [];
let results = 0;

/** Examples call this function in place of each expression whose comment gives the result. */
function shows(told: string, ...values: unknown[]): void {
  const shown = values.map(textOf).join(' ');
  results++;
  if (shown !== told) wrongResults.push(`its comment tells ${told}, and the result is ${shown}`);
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.map(textOf).join(', ') : String(value);
}

async function problemsOf(example: ExampleFile): Promise<string[]> {
  wrongResults = [];
  results = 0;
  try {
    await Promise.race([run(example), tooLate()]);
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  } finally {
    // Undo the example's mockClient().
    (DynamoDBDocumentClient.prototype.send as { restore?(): void }).restore?.();
  }
  if (results < example.results) wrongResults.push(`${example.results - results} of its results were not reached`);
  return wrongResults;
}

async function run({ path, doors, lockTable }: ExampleFile): Promise<void> {
  process.env['LOCK_TABLE'] = lockTable;
  await setStores();
  const exported: object = await import(pathToFileURL(path).href);
  for (const [name, value] of Object.entries(exported)) await use(name, value, doors);
  for (const task of cron.getTasks().values()) {
    await task.destroy();
    await task.execute();
  }
  // With CDK_OUTDIR set, a CDK app is synthesised when its process ends.
  process.emit('beforeExit', 0);
}

async function tooLate(): Promise<never> {
  await setTimeout(LONGEST_MS, undefined, { ref: false });
  throw new Error(`it did not end in ${LONGEST_MS} ms`);
}

/** Empties the stores, because examples share lock names. Leaves one run of send-digest, for examples of operators. */
async function setStores(): Promise<void> {
  await Promise.all(redises.map((redis) => redis.flushall()));
  for (const [TableName, keys] of Object.entries(KEYS)) {
    const { Items = [] } = await dynamodb.send(new ScanCommand({ TableName, ConsistentRead: true }));
    for (const item of Items) {
      const Key = Object.fromEntries(Object.entries(item).filter(([name]) => keys.includes(name)));
      await dynamodb.send(new DeleteItemCommand({ TableName, Key }));
    }
  }
  const store = dynamoDBStore({ tableName: 'locks' });
  const options = { name: 'send-digest', store, lockAtMostFor: '1m', tick: Date.now() - DAY_MS, observers: [] };
  await executeWithLock(() => 'sent', options);
}

process.stdout.write = () => true;
process.chdir(import.meta.dirname);
Object.assign(globalThis, { shows });
redirectPorts(ports);
stayHere(() => Response.json('done'));
await createLockTable(dynamodb, { tableName: 'locks' });
await createLockTable(dynamodb, { tableName: 'jobs', partitionKey: 'pk', sortKey: 'sk' });
for (const example of examples) {
  say(`${JSON.stringify({ said: 'begins', name: example.name })}\n`);
  const problems = await problemsOf(example);
  say(`${JSON.stringify({ said: 'ends', name: example.name, problems })}\n`);
}
say(`${JSON.stringify({ said: 'unused', uses: [...unused] })}\n`);
process.exit(0);
