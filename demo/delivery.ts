import { randomUUID } from 'node:crypto';
import type { Reply } from './call.js';
import type { Worker } from './fleet.js';
import type { Ending, Invocation, Work } from './history.js';
import type { Job } from './job.js';
import type { Recorder } from './recorder.js';
import { calm } from './station.js';
import type { Timeline } from './timeline.js';

const REMAINING_MS = 10_000;
/** A dead lock is over by the server's clock within 3 s of its lease; one more for a busy machine. */
const TAKEOVER_MARGIN_MS = 4_000;

/** How one event is delivered to one worker. */
export interface Delivery {
  /** Absent when somebody starts it by hand. */
  readonly tickMs?: number;
  /** What the platform calls it, such as `retry`; shown. */
  readonly as?: string;
  /** Given for a retry by the platform: that of the first try. @default a fresh one */
  readonly requestId?: string;
  /** What Lambda leaves it. @default 10 s */
  readonly remainingMs?: number;
}

/** Delivers an event to a worker, waits for the end, and writes down and shows what the outside saw of it. */
export async function deliver(
  job: Job,
  worker: Worker,
  delivery: Delivery,
  recorder: Recorder,
  timeline: Timeline,
): Promise<Invocation> {
  const { tickMs, as, requestId = randomUUID(), remainingMs = REMAINING_MS } = delivery;
  const id = recorder.begin(requestId, worker.name);
  const fromMs = recorder.nowMs();
  const reply = await worker.invoke({ id, handler: job.handler, event: job.event(tickMs), requestId, remainingMs });
  const toMs = recorder.nowMs();
  const invocation: Invocation = {
    id,
    job: job.name,
    ...(tickMs !== undefined && { tickMs }),
    requestId,
    worker: worker.name,
    fromMs,
    toMs,
    lockOverMs: fromMs + job.leaseMs(remainingMs) + TAKEOVER_MARGIN_MS,
    ending: endingOf(job, reply),
    recovered: worker.lines.some((line) => line.includes('"type":"recovered"')),
  };
  const work = workOf(job, worker, invocation, recorder);
  calm(worker.station);
  recorder.invocation(invocation, work);
  const told = typeof reply === 'object' && invocation.ending.kind === 'ran' ? job.told(reply.value) : '';
  timeline.invocation(invocation, { work, told, as });
  return invocation;
}

function endingOf(job: Job, reply: Reply | 'killed' | 'timed out'): Ending {
  if (reply === 'killed') return { kind: 'killed', by: 'SIGKILL' };
  if (reply === 'timed out') return { kind: 'killed', by: 'time-out' };
  if (reply.thrown) return { kind: 'failed', error: reply.thrown.message };
  const skip = job.skipOf(reply.value);
  return skip ? { kind: 'skipped', ...skip } : { kind: 'ran' };
}

function workOf(job: Job, worker: Worker, { id, tickMs, toMs }: Invocation, recorder: Recorder): Work | undefined {
  const seen = job.workAt(worker.station, tickMs);
  if (!seen) return undefined;
  const { fromMs, toMs: leftMs, ...facts } = seen;
  return {
    invocation: id,
    job: job.name,
    fromMs: recorder.sinceStart(fromMs),
    // What was still on its way when the invocation ended is over with it.
    toMs: Math.min(leftMs === undefined ? toMs : recorder.sinceStart(leftMs), toMs),
    ...facts,
  };
}
