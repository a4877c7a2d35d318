import type { SkippedHolder } from 'single-execution';
import { grouped } from '../../support/play/grouped.js';
import type { StoreAddress } from '../../support/store-address.js';
import type { SoakJob } from './plan.js';
import type { WitnessedWrite } from './witness-file.js';

/*
 * What happened in a soak on one store. Instants are milliseconds on the machine's clock since the play began, as the
 * process in which it happened has read them.
 */

export interface SoakHistory {
  readonly store: StoreAddress['kind'];
  /** True time at which the play began, in epoch milliseconds. */
  readonly startedAt: number;
  readonly workers: readonly Worker[];
  readonly deliveries: readonly Delivery[];
  /** What the witness of each job has seen, in its order. */
  readonly writes: ReadonlyMap<string, readonly WitnessedWrite[]>;
}

/** One worker process. */
export interface Worker {
  readonly name: string;
  /** How far its wall clock is ahead of the true time. */
  readonly aheadMs: number;
  /** Where it was stopped, as the play has it. */
  readonly stops: readonly Standstill[];
  /** Where none of its timers fired, as it has noticed itself: stopped, or left waiting by a busy machine. */
  readonly stalls: readonly Standstill[];
  readonly killedMs?: number;
  /** Absent when it had to be left behind. */
  readonly ended?: { readonly code: number | null; readonly signal: string | null; readonly stderr: string };
}

export interface Standstill {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A tick, as it reaches a worker. */
export interface TickOrder {
  readonly id: number;
  readonly job: SoakJob;
  readonly tickMs: number;
  /** How long its handler is to work. */
  readonly worksMs: number;
  readonly fails: boolean;
}

/** A tick that was given to a worker, and what became of it. What is absent did not happen before it was killed. */
export interface Delivery extends Omit<TickOrder, 'fails'> {
  readonly worker: Worker;
  readonly receivedMs?: number;
  /** What the store has granted it. */
  readonly granted?: { readonly token: number; readonly atMs: number };
  readonly run?: Run;
  readonly settled?: Settled;
}

/** How a delivery ended, as its worker saw it. */
export interface Settled {
  readonly atMs: number;
  /**
   * A handler fails when it was told to, and is aborted when its signal stops it. It is not begun once its lock is
   * lost. An error should never come.
   */
  readonly ending: 'failed' | `${'ran' | 'aborted' | 'not begun' | 'skipped' | 'store error' | 'error'}: ${string}`;
  /** Whom it was skipped for. */
  readonly holder?: SkippedHolder | undefined;
}

/** A handler at work. */
export interface Run {
  readonly token: number;
  readonly beganMs: number;
  /** The run before, as it was told of it. */
  readonly previous?: { readonly status: string; readonly token: number };
  /** When and why its signal aborted. */
  readonly aborted?: { readonly reason: string; readonly atMs: number };
  /** When it returned or threw, or was killed. */
  readonly endedMs: number;
  readonly hasReturned: boolean;
}

/** A line that a worker says: that it is ready, that it stood still, or a part of what becomes of a delivery. */
export type Report =
  | { readonly said: 'ready'; readonly wallOffsetMs: number }
  /** No timer of the process fired between these instants: it was stopped, or the machine was busy. */
  | ({ readonly said: 'stalled' } & Standstill)
  | ({ readonly said: 'delivery'; readonly id: number; readonly run?: Partial<Run> } & Partial<Omit<Delivery, 'run'>>);

/** What a worker is started with. */
export interface WorkerOrder {
  readonly store: StoreAddress;
  /** Where the witness files are. */
  readonly folder: string;
  /** The machine's instant at which the play began. */
  readonly originMs: number;
}

/** A piece of work for each handler that works by beats; they wait on the stdin of a worker that is stopped. */
export const BEAT = 'beat';
export const WORK_EVERY_MS = 40;
/** What a worker is told to do at the end: nothing comes any more. */
export const FINISH = 'finish';

/** A worker process as the play has it, with all that it has said. */
export type Life = Writable<Omit<Worker, 'stalls'>> & { said(): readonly Report[] };
type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

export interface GivenTick {
  readonly order: TickOrder;
  readonly life: Life;
}

/** Puts the history of the workers and of the deliveries together from what the workers have said. */
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
  // One gap may be told of several times, the last time at its end.
  const stalls = new Map(said().flatMap((one) => (one.said === 'stalled' ? [[one.fromMs, one.toMs]] : [])));
  return { ...worker, stalls: [...stalls].map(([fromMs, toMs]) => ({ fromMs, toMs })) };
}
