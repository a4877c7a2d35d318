import type { Said } from '../test/support/child-program.js';
import type { Worker } from './fleet.js';
import type { Ending, Invocation, Work } from './history.js';
import type { Job } from './jobs.js';
import type { Scene } from './situations.js';
import { timelineRow } from './summary.js';

const REMAINING_MS = 10_000;
const LEASE_MARGIN_MS = 2_000;
/** A dead lock is over by the server's clock within 3 s of its lease; one more for a busy machine. */
const TAKEOVER_MARGIN_MS = 4_000;
let lastId = 0;

/** How one event is delivered to one worker. */
interface Delivery {
  /** Absent when somebody starts the function by hand. */
  readonly tickMs?: number;
  /** The invocation that the platform repeats. */
  readonly retryOf?: Invocation;
  /** What to call it; shown. */
  readonly as?: string;
  /** What Lambda leaves it. @default 10 s */
  readonly remainingMs?: number;
}

/** Delivers an event to a worker, waits for the end, and writes down and shows what the outside saw of it. */
export async function deliver(
  { job, history }: Scene,
  worker: Worker,
  { tickMs, retryOf, as, remainingMs = REMAINING_MS }: Delivery,
): Promise<Invocation & { readonly isToldOfCrash: boolean }> {
  await worker.start();
  const id = ++lastId;
  const requestId = retryOf?.requestId ?? `request-${id}`;
  const fromMs = performance.now();
  const said = await worker.invoke({ id, handler: job.handler, event: job.eventOf(tickMs), requestId, remainingMs });
  const invocation: Invocation = {
    id,
    job: job.name,
    tickMark: job.tickMark,
    ...(tickMs !== undefined && { tickMs }),
    requestId,
    fromMs,
    toMs: performance.now(),
    lockOverMs: fromMs + remainingMs + LEASE_MARGIN_MS + TAKEOVER_MARGIN_MS,
    ending: endingOf(said.find((line) => line['said'] === 'replied')),
  };
  const work = workOf(job, worker, invocation);
  worker.reset();
  history.invocations.push(invocation);
  if (work) history.works.push(work);
  const isToldOfCrash = said.some(({ type }) => type === 'recovered');
  const remarks = [as, retryOf && `retry of #${retryOf.id}`, isToldOfCrash && 'told of a crash'];
  console.log(timelineRow(invocation, work, remarks));
  return { ...invocation, isToldOfCrash };
}

function endingOf(reply: Said | undefined): Ending {
  if (!reply) return { kind: 'killed' };
  if (reply['error'] !== undefined) return { kind: 'failed', error: String(reply['error']) };
  // The report returns the library's own outcome, the sync one of its own making.
  const { reason, skipped = reason, holder } = reply['value'] as Record<string, string | { lockedBy: string }>;
  if (skipped === undefined) return { kind: 'ran' };
  const lockedBy = typeof holder === 'object' ? holder.lockedBy : holder;
  return { kind: 'skipped', reason: String(skipped), ...(lockedBy !== undefined && { lockedBy }) };
}

function workOf(job: Job, worker: Worker, { id, tickMs, toMs }: Invocation): Work | undefined {
  const requests = worker.work();
  if (requests.length === 0) return undefined;
  const items = requests.flatMap(({ operation, body, status }) =>
    operation === 'PutItem' && status === 200
      ? [body['Item'] as { pk: { S: string }; fencingToken: { N: string } }]
      : [],
  );
  const token = items[0] && Number(items[0].fencingToken.N);
  return {
    invocation: id,
    job: job.name,
    fromMs: Math.min(...requests.map(({ arrivedMs }) => arrivedMs)),
    // What was still on its way when the invocation ended is over with it.
    toMs: Math.min(toMs, Math.max(...requests.map(({ leftMs = toMs }) => leftMs))),
    ...(token !== undefined && { token }),
    doneTicksMs:
      tickMs === undefined
        ? []
        : job.doneBy(
            items.map(({ pk }) => pk.S),
            tickMs,
          ),
  };
}
