import { grouped } from '../../support/play/grouped.js';
import type { Life } from './fleet.js';
import type { Delivery, Run, SoakHistory, Worker } from './history.js';
import { wallOffsetMs } from './machine-clock.js';
import type { Report, TickOrder } from './reports.js';
import type { WitnessedWrite } from './witness-file.js';

/** A tick that was given to a worker. */
export interface GivenDelivery {
  readonly order: TickOrder;
  readonly worker: Life;
}

interface Records extends Pick<SoakHistory, 'store' | 'jobs' | 'writes'> {
  readonly lives: readonly Life[];
  readonly given: readonly GivenDelivery[];
  readonly startMs: number;
}

type Said<W extends Report['said']> = Extract<Report, { readonly said: W }>;

/** Puts the history together from what the workers have said. */
export function historyOf({ store, jobs, writes, lives, given, startMs }: Records): SoakHistory {
  const reports = new Map(lives.map((life) => [life, reportsOf(life, startMs)]));
  const workers = new Map(lives.map((life) => [life, workerOf(life, reports.get(life) ?? [], startMs)]));
  const ofDelivery = grouped(
    [...reports.values()].flat().filter((report) => 'id' in report),
    ({ id }) => String(id),
  );
  const deliveries = given.map(({ order, worker: life }): Delivery => {
    const worker = workers.get(life);
    if (!worker) throw new Error(`delivery ${order.id} went to ${life.name}, which never lived`);
    return deliveryOf(order, worker, ofDelivery.get(String(order.id)) ?? []);
  });
  const all = [...writes].map(([job, ofJob]): [string, WitnessedWrite[]] => [
    job,
    ofJob.map((write) => ({ ...write, atMs: write.atMs - startMs })),
  ]);
  return {
    store,
    startedAt: startMs + wallOffsetMs(),
    jobs,
    writes: new Map(all),
    workers: [...workers.values()],
    deliveries,
  };
}

/** What a worker has said, which is reports and nothing else, with instants since the play began. */
function reportsOf(life: Life, startMs: number): Report[] {
  return (life.said() as readonly unknown[] as readonly Report[]).map((report) => ({
    ...report,
    atMs: report.atMs - startMs,
  }));
}

function workerOf(life: Life, reports: readonly Report[], startMs: number): Worker {
  // One gap may be told of several times, the last time at its end.
  const stalls = new Map(reports.flatMap((one) => (one.said === 'stalled' ? [[one.fromMs - startMs, one.atMs]] : [])));
  return {
    name: life.name,
    aheadMs: life.aheadMs,
    stops: life.stops.map(({ fromMs, toMs }) => ({ fromMs: fromMs - startMs, toMs: toMs - startMs })),
    stalls: [...stalls].map(([fromMs, toMs]) => ({ fromMs, toMs })),
    ...(life.killedMs !== undefined && { killedMs: life.killedMs - startMs }),
    ...(life.ended && { ended: life.ended }),
  };
}

function deliveryOf({ id, job, tickMs, worksMs }: TickOrder, worker: Worker, reports: readonly Report[]): Delivery {
  const find = <W extends Report['said']>(said: W) => reports.find((report): report is Said<W> => report.said === said);
  const [received, granted, settled] = [find('received'), find('granted'), find('settled')];
  const run = runOf(find('began'), find('ended'), find('aborted'), worker);
  return {
    id,
    job,
    tickMs,
    worksMs,
    worker,
    ...(received && { receivedMs: received.atMs }),
    ...(granted && { granted: { token: granted.token, atMs: granted.atMs } }),
    ...(run && { run }),
    ...(settled && { settled: { ending: settled.ending, atMs: settled.atMs } }),
  };
}

function runOf(
  began: Said<'began'> | undefined,
  ended: Said<'ended'> | undefined,
  aborted: Said<'aborted'> | undefined,
  { killedMs }: Worker,
): Run | undefined {
  if (!began) return undefined;
  const { token, previous } = began;
  return {
    token,
    beganMs: began.atMs,
    endedMs: ended?.atMs ?? killedMs ?? Number.POSITIVE_INFINITY,
    hasReturned: ended?.hasReturned ?? false,
    refused: ended?.refused ?? 0,
    ...(aborted && { aborted: { reason: aborted.reason, atMs: aborted.atMs } }),
    ...(previous && { previous }),
  };
}
