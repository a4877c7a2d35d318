import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { startKeeper } from '../support/keeper.js';
import { packagesOf } from '../support/package-sets.js';

/** The compatibility date. `wrangler init` writes the date of the day. */
const COMPATIBILITY_DATE = '2026-04-01';
/** A folder in memory for D1, which otherwise waits for the disk at each write. */
const IN_MEMORY = '/dev/shm';

export interface WorkerBundle {
  readonly code: string;
  /** The modules that workerd must provide. */
  readonly imports: readonly string[];
  readonly gzipBytes: number;
}

/**
 * Bundles a Worker as `wrangler deploy --minify` does. Modules of Node and of workerd stay imports.
 *
 * @param change another text of a source file of the library
 */
export async function bundleWorker(path: string, change?: SourceChange): Promise<WorkerBundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [path],
    plugins: change === undefined ? [] : [changing(change)],
    bundle: true,
    minify: true,
    keepNames: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    target: 'es2024',
    external: ['node:*', 'cloudflare:*'],
    write: false,
    metafile: true,
  });
  const [{ contents, text: code }] = outputFiles as [(typeof outputFiles)[number]];
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map((one) => one.path));
  return { code, imports, gzipBytes: (await promisify(gzip)(contents)).length };
}

/** A source file, by the end of its path, and what replaces a text in it. */
export interface SourceChange {
  readonly file: string;
  readonly text: string;
  readonly by: string;
}

function changing({ file, text, by }: SourceChange): Plugin {
  const filter = new RegExp(`${file.replaceAll('.', '[.]')}$`);
  return {
    name: 'change',
    setup: ({ onLoad }) =>
      onLoad({ filter }, async ({ path }) => {
        const contents = await readFile(path, 'utf8');
        if (!contents.includes(text)) throw new Error(`${file} has no ${text} any more`);
        return { contents: contents.replace(text, by), loader: 'ts' };
      }),
  };
}

/** The Worker's main module. It also collects rejections that nobody has caught. */
const MAIN = `
import worker from './worker.js';
export * from './worker.js';
const lost = [];
addEventListener('unhandledrejection', ({ reason }) => { lost.push(String(reason)); });
export default {
  ...worker,
  fetch: (request, ...rest) =>
    new URL(request.url).pathname === '/lost' ? Response.json(lost) : worker.fetch(request, ...rest),
};
`;

export type Outcome = 'ok' | 'exception';

/** The part of D1 that tests use. */
interface Database {
  prepare(sql: string): {
    bind(...values: unknown[]): { run(): Promise<unknown>; first(): Promise<Record<string, unknown> | null> };
  };
}

/** The part of Miniflare that is used here. */
type MiniflareClass = new (
  options: object,
) => {
  readonly ready: Promise<URL>;
  getWorker(name?: string): Promise<{
    fetch(url: string): Promise<Response>;
    scheduled(event: { scheduledTime: Date; cron: string }): Promise<{ outcome: Outcome }>;
  }>;
  getD1Database(binding: string): Promise<Database>;
  dispose(): Promise<void>;
};

export interface RunningWorker {
  readonly url: string;
  /** The processes of its runtime. */
  readonly pids: readonly number[];
  /** Sends a scheduled event, as a cron trigger does. @returns the outcome that the platform sees */
  trigger(scheduledTime: string, cron?: string): Promise<Outcome>;
  /** The Worker's answer to a request of this path, as text. @param name another Worker beside it */
  ask(path: string, name?: string): Promise<string>;
  /** The D1 database that is bound as `DB`. */
  readonly database: Database;
  /** Rejections that nobody has caught since the start. */
  lost(): Promise<readonly string[]>;
  /** Ends the runtime. @returns all that it has printed */
  stop(): Promise<string>;
}

/** What a Worker needs beside its bindings. */
interface Runtime {
  readonly compatibilityFlags?: string[];
  /** @default a date of 2026 */
  readonly compatibilityDate?: string;
  /** The classes of Durable Objects, by the names of their bindings. They are backed by SQLite unless `inKv`. */
  readonly objects?: Readonly<Record<string, string>>;
  /** Whether the objects are of the older kind, which is backed by a key-value storage. */
  readonly inKv?: boolean;
  /** Further Workers, by their names. Their bindings of objects lead to the objects of the first Worker. */
  readonly beside?: Readonly<Record<string, WorkerBundle>>;
  /** A folder that keeps the data. By default it is a new one, which is removed at the end. */
  readonly folder?: string;
  readonly port?: number;
  /** Bindings of other kinds, as miniflare takes them. */
  readonly others?: object;
}

export async function dataFolder(): Promise<string> {
  return mkdtemp(join(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'workerd-'));
}

/** The processes of workerd that this process has started. */
const KNOWN = new Set<number>();
let lastStart: Promise<unknown> = Promise.resolve();

/** Starts a Worker in workerd, the runtime of Cloudflare Workers, with a D1 database of its own. */
export function startWorker(
  bundle: WorkerBundle,
  bindings: Readonly<Record<string, string>>,
  runtime: Runtime = {},
): Promise<RunningWorker> {
  // One after the other: a process that is new belongs to the Worker that starts.
  const started = lastStart.then(() => start(bundle, bindings, runtime));
  lastStart = started.catch(() => undefined);
  return started;
}

/** The name of the first Worker. */
const FIRST = 'tests';

const modulesOf = (code: string) => [
  { type: 'ESModule', path: 'main.js', contents: MAIN },
  { type: 'ESModule', path: 'worker.js', contents: code },
];

async function start(
  { code }: WorkerBundle,
  bindings: Readonly<Record<string, string>>,
  runtime: Runtime,
): Promise<RunningWorker> {
  let printed = '';
  const {
    compatibilityFlags = [],
    compatibilityDate = COMPATIBILITY_DATE,
    objects = {},
    beside = {},
    inKv,
    port,
  } = runtime;
  const { others } = runtime;
  const folder = runtime.folder ?? (await dataFolder());
  const shared = { compatibilityDate, compatibilityFlags };
  const objectsOf = (more: object) =>
    Object.fromEntries(
      Object.entries(objects).map(([name, className]) => [name, { className, useSQLite: !inKv, ...more }]),
    );
  const { Miniflare } = (await packagesOf('test/edge'))('miniflare') as { readonly Miniflare: MiniflareClass };
  const miniflare = new Miniflare({
    ...(port === undefined ? {} : { port }),
    d1Persist: folder,
    durableObjectsPersist: folder,
    handleRuntimeStdio: (...streams: Readable[]) => {
      for (const stream of streams) {
        stream.on('data', (chunk) => {
          printed += chunk;
        });
      }
    },
    workers: [
      {
        name: FIRST,
        modules: modulesOf(code),
        ...shared,
        ...others,
        bindings: { ...bindings },
        d1Databases: ['DB'],
        durableObjects: objectsOf({}),
      },
      ...Object.entries(beside).map(([name, bundle]) => ({
        name,
        modules: modulesOf(bundle.code),
        ...shared,
        durableObjects: objectsOf({ scriptName: FIRST }),
      })),
    ],
  });
  const ask = async (path: string, name?: string) =>
    (await (await miniflare.getWorker(name)).fetch(`http://worker.example${path}`)).text();
  const keeper = startKeeper();
  const stop = async () => {
    await miniflare.dispose();
    await keeper.stop();
    if (runtime.folder === undefined) await rm(folder, { recursive: true });
  };
  try {
    const worker = await miniflare.getWorker();
    const pids = (await runtimesOfThisProcess()).filter((pid) => !KNOWN.has(pid));
    for (const pid of pids) {
      KNOWN.add(pid);
      keeper.add(pid);
    }
    return {
      url: (await miniflare.ready).origin,
      pids,
      trigger: async (scheduledTime, cron = '*/15 * * * *') =>
        (await worker.scheduled({ scheduledTime: new Date(scheduledTime), cron })).outcome,
      ask,
      database: await miniflare.getD1Database('DB'),
      lost: async () => JSON.parse(await ask('/lost')),
      async stop() {
        await stop();
        return printed;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The workerd processes. Miniflare does not report their ids, and does not end them if this process is killed. */
async function runtimesOfThisProcess(): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,comm=']);
  const processes = stdout.split('\n').map((line) => line.trim().split(/\s+/));
  return processes
    .filter(([, parent, command]) => Number(parent) === process.pid && command?.endsWith('workerd'))
    .map(([pid]) => Number(pid));
}
