import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bundledProgram } from '../test/support/bundled-program.js';
import type { ChildProgram, ChildPrograms, Said } from '../test/support/child-program.js';
import { type Fault, type SeenRequest, startFaultProxy } from '../test/support/fault-proxy.js';
import type { CleanUps } from '../test/support/play/command.js';
import { contactsOf, DATA_TABLE, LOCK_TABLE } from './data.js';
import type { Invocation, Work } from './history.js';
import type { Job } from './jobs.js';

/** So that the nights of an evening can follow each other. */
const LOCK_AT_LEAST_FOR = '3s';
const REMAINING_MS = 10_000;
const LEASE_MARGIN_MS = 2_000;
/** A dead lock is over by the server's clock within 3 s of its lease; one more for a busy machine. */
const TAKEOVER_MARGIN_MS = 4_000;

/** How one event is delivered to one worker. */
export interface Delivery {
  /** Absent when somebody starts the function by hand. */
  readonly tickMs?: number;
  /** The invocation that the platform repeats. */
  readonly retryOf?: Invocation;
  /** What Lambda leaves it. @default 10 s */
  readonly remainingMs?: number;
}

/** A place for one worker process at a time, with a network of its own: whatever goes over it is that worker's work. */
export type Worker = Awaited<ReturnType<Awaited<ReturnType<typeof startPlatform>>>>;

/** @returns what makes workers for a job, all of which use this database and tell of each invocation that has ended */
export async function startPlatform(
  endpoint: string,
  programs: ChildPrograms,
  cleanUps: CleanUps,
  tell: (invocation: Invocation) => void,
) {
  const bundle = await bundledProgram(new URL('./worker.ts', import.meta.url));
  cleanUps.push(bundle.remove);
  const service = createServer(({ url = '' }, reply) => reply.end(JSON.stringify(contactsOf(url.split('/')[1] ?? ''))));
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const serviceUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  let lastId = 0;

  return async (job: Job) => {
    const [database, tenants] = [await startFaultProxy(endpoint), await startFaultProxy(serviceUrl)];
    // All that tells a function that this is not AWS.
    const env = {
      LOCK_TABLE,
      DATA_TABLE,
      LOCK_AT_LEAST_FOR,
      TENANT_API_URL: tenants.endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    };
    let program: ChildProgram | undefined;
    /** Starts a process where there is none, as a platform does for the first invocation, or after a crash. */
    const started = async () => {
      program ??= programs.start(bundle.path, {}, [], env);
      await program.until('ready');
      return program;
    };
    const kill = () => {
      program?.kill('SIGKILL');
      program = undefined;
    };
    await started();
    return {
      database,
      kill,
      /** Strikes the first request of the handler's own work. @returns when it has */
      strike: (fault: Fault) =>
        new Promise<void>((resolve) => {
          const proxy = job.handler === 'nightly-report' ? database : tenants;
          proxy.inject(fault, { when: isWork, meanwhile: async () => resolve() });
        }),

      /** Delivers an event, and tells what the outside saw of it once it has ended. */
      async deliver({ tickMs, retryOf, remainingMs = REMAINING_MS }: Delivery): Promise<Invocation> {
        const { said, tell: order, until } = await started();
        const id = ++lastId;
        const requestId = retryOf?.requestId ?? `request-${id}`;
        const before = said().length;
        const fromMs = performance.now();
        order(JSON.stringify({ id, handler: job.handler, event: job.eventOf(tickMs), requestId, remainingMs }));
        // Lambda ends an environment whose invocation is out of time.
        const timer = setTimeout(kill, remainingMs);
        const reply = await until('replied', (line) => line['id'] === id).catch(() => undefined);
        clearTimeout(timer);
        const toMs = performance.now();
        const requests = [...tenants.requests(), ...database.requests().filter(isWork)];
        database.reset();
        tenants.reset();

        const isToldOfCrash = said()
          .slice(before)
          .some(({ type }) => type === 'recovered');
        const invocation: Invocation = {
          id,
          job: job.name,
          tickMark: job.tickMark,
          ...(tickMs !== undefined && { tickMs }),
          requestId,
          ...(retryOf && { retryOf: retryOf.id }),
          fromMs,
          toMs,
          lockOverMs: fromMs + remainingMs + LEASE_MARGIN_MS + TAKEOVER_MARGIN_MS,
          ...endingOf(reply),
          isToldOfCrash,
          ...(requests.length > 0 && { work: workOf(requests, job, tickMs, toMs) }),
        };
        tell(invocation);
        return invocation;
      },
    };
  };
}

function isWork({ body }: SeenRequest): boolean {
  return body['TableName'] !== LOCK_TABLE;
}

function endingOf(reply: Said | undefined): Pick<Invocation, 'ending' | 'error' | 'lockedBy'> {
  if (!reply) return { ending: 'killed' };
  if (reply['error'] !== undefined) return { ending: 'failed', error: String(reply['error']) };
  // Most return the library's own outcome, the sync one of its own making.
  const { reason, skipped = reason, holder } = reply['value'] as Record<string, string | { lockedBy: string }>;
  if (skipped === undefined) return { ending: 'ran' };
  const lockedBy = typeof holder === 'object' ? holder.lockedBy : holder;
  return { ending: `skipped ${skipped}`, ...(lockedBy !== undefined && { lockedBy }) };
}

function workOf(requests: readonly SeenRequest[], job: Job, tickMs: number | undefined, endedMs: number): Work {
  const items = requests.flatMap(({ operation, body, status }) =>
    operation === 'PutItem' && status === 200
      ? [body['Item'] as { pk: { S: string }; fencingToken: { N: string } }]
      : [],
  );
  const partitions = items.map(({ pk }) => pk.S);
  return {
    fromMs: Math.min(...requests.map(({ arrivedMs }) => arrivedMs)),
    // What was still on its way when the invocation ended is over with it.
    toMs: Math.min(endedMs, Math.max(...requests.map(({ leftMs = endedMs }) => leftMs))),
    ...(items[0] && { token: Number(items[0].fencingToken.N) }),
    doneTicksMs: tickMs === undefined ? [] : job.doneBy(partitions, tickMs),
  };
}
