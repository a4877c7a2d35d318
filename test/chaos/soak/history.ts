import type { SkippedHolder } from 'single-execution';
import type { StoreAddress } from '../../support/backends/backend.js';
import { grouped } from './grouped.js';
import type { SoakJob } from './plan.js';
import type { WitnessedWrite } from './witness-file.js';

/*
 * What happened in a soak on one store. Instants are milliseconds on the machine's clock since the play began, read by
 * the process in which the event happened.
 */

export interface SoakHistory {
  readonly store: StoreAddress['kind'];
  /** True time at which the play began, in epoch milliseconds. */
  readonly startedAt: number;
  readonly workers: readonly Worker[];
  readonly deliveries: readonly Delivery[];
  /** The writes to each job's witness file, in their order. */
  readonly writes: ReadonlyMap<string, readonly WitnessedWrite[]>;
}

export interface Worker {
  readonly name: string;
  /** How far its wall clock is ahead of true time. */
  readonly aheadMs: number;
  /** When the play stopped this worker. */
  readonly stops: readonly Standstill[];
  /** When none of the worker's timers fired, as it reported itself: it was stopped, or the machine was busy. */
  readonly stalls: readonly Standstill[];
  readonly killedMs?: number;
  /** How the process ended. Absent if it did not end in time. */
  readonly ended?: { readonly code: number | null; readonly signal: string | null; readonly stderr: string };
}

export interface Standstill {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A tick, as it is sent to a worker. */
export interface TickOrder {
  readonly id: number;
  readonly job: SoakJob;
  readonly tickMs: number;
  readonly worksMs: number;
  readonly fails: boolean;
}

/**
 * A tick that was given to a worker, and what happened to it. A member is absent if its event did not happen before the
 * worker was killed.
 */
export interface Delivery extends Omit<TickOrder, 'fails'> {
  readonly worker: Worker;
  readonly receivedMs?: number;
  /** The grant that the store gave to this delivery. */
  readonly granted?: { readonly token: number; readonly atMs: number };
  readonly run?: Run;
  readonly settled?: Settled;
}

/** How a delivery ended, as its worker saw it. */
export interface Settled {
  readonly atMs: number;
  /**
   * `failed`: the handler failed as planned. `aborted`: its signal stopped it. `not begun`: the lock was lost before
   * the handler began. `error` must never come.
   */
  readonly ending: 'failed' | `${'ran' | 'aborted' | 'not begun' | 'skipped' | 'store error' | 'error'}: ${string}`;
  readonly holder?: SkippedHolder | undefined;
}

export interface Run {
  readonly token: number;
  readonly beganMs: number;
  /** What the run was told of the previous run. */
  readonly previous?: { readonly status: string; readonly token: number };
  /** When and why its signal aborted. */
  readonly aborted?: { readonly reason: string; readonly atMs: number };
  /** When it returned, threw, or was killed. */
  readonly endedMs: number;
  readonly hasReturned: boolean;
}

/** A line that a worker prints: that it is ready, that it stood still, or a part of a delivery's history. */
export type Report =
  | { readonly said: 'ready'; readonly wallOffsetMs: number }
  /** No timer of the process fired between these instants: it was stopped, or the machine was busy. */
  | ({ readonly said: 'stalled' } & Standstill)
  | ({ readonly said: 'delivery'; readonly id: number; readonly run?: Partial<Run> } & Partial<Omit<Delivery, 'run'>>);

export interface WorkerOrder {
  readonly store: StoreAddress;
  readonly folder: string;
  /** The instant on the machine's clock at which the play began. */
  readonly originMs: number;
}

/**
 * The word for the next piece of work of each handler that works by beats. If a worker is stopped, the beats wait on
 * its stdin.
 */
export const BEAT = 'beat';
export const WORK_EVERY_MS = 40;
/** The last word to a worker: nothing more comes. */
export const FINISH = 'finish';

/** A worker process as the play sees it, with everything that it has reported. */
export type Life = Writable<Omit<Worker, 'stalls'>> & { said(): readonly Report[] };
type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

export interface GivenTick {
  readonly order: TickOrder;
  readonly life: Life;
}

export function historyOf(lives: readonly Life[], given: readonly GivenTick[]) {
  const workers = new Map(lives.map((life) => [life, workerOf(life)]));
  const parts = lives.flatMap((life) => life.said().filter((report) => report.said === 'delivery'));
  const ofDelivery = grouped(parts, ({ id }) => String(id));
  const deliveries = given.map(({ order: { fails: _, ...order }, life }): Delivery => {
    const worker = workers.get(life);
    if (!worker) throw new Error(`delivery ${order.id} went to ${life.name}, which never lived`);
    const endless = { endedMs: worker.killedMs ?? Number.POSITIVE_INFINITY, hasReturned: false };
    const told = ofDelivery.get(String(order.id)) ?? [];
    const { said: _said, run: _run, ...whole } = Object.assign({}, ...told);
    const runs = told.flatMap(({ run }) => run ?? []);
    return { ...order, worker, ...whole, ...(runs.length > 0 && { run: Object.assign(endless, ...runs) }) };
  });
  return { workers: [...workers.values()], deliveries };
}

function workerOf({ said, ...worker }: Life): Worker {
  // A gap may be reported several times; the last report has its end.
  const stalls = new Map(said().flatMap((one) => (one.said === 'stalled' ? [[one.fromMs, one.toMs]] : [])));
  return { ...worker, stalls: [...stalls].map(([fromMs, toMs]) => ({ fromMs, toMs })) };
}
