import type { Call, Reply } from './call.js';
import { closeStation, openStation, type Station } from './station.js';
import { DATA_TABLE, LOCK_TABLE } from './tables.js';
import { startWorkerProcess, type WorkerProcess } from './worker-process.js';

export interface Worker {
  readonly name: string;
  readonly station: Station;
  /** Lines on stderr since the invocation began. */
  readonly lines: readonly string[];
  invoke(call: Call): Promise<Reply | 'killed' | 'timed out'>;
  kill(): void;
}

/** The workers. Each runs one invocation at a time; one that was killed is replaced. */
export interface Fleet {
  /** Lends so many workers at once, as soon as they are free. */
  lend<T>(count: number, use: (workers: readonly Worker[]) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

interface Slot {
  readonly station: Station;
  readonly worker: Worker;
  readonly process: WorkerProcess;
}

export async function startFleet(size: number, endpoint: string): Promise<Fleet> {
  let named = 0;
  let stopping = false;
  let failure: { readonly reason: unknown } | undefined;
  const free: Slot[] = [];
  const slots: Slot[] = [];
  const waiting: { count: number; start: (slots: Slot[]) => void; fail: (reason: unknown) => void }[] = [];

  const staff = async (station: Station): Promise<Slot> => {
    const name = `w${++named}`;
    let lines: string[] = [];
    const process = await startWorkerProcess(workerEnv(station), (line) => lines.push(line));
    const worker: Worker = {
      name,
      station,
      get lines() {
        return lines;
      },
      invoke(call) {
        lines = [];
        return process.invoke(call);
      },
      kill: () => process.kill(),
    };
    return { station, worker, process };
  };

  const serve = () => {
    // In order of asking, all at once or none: two that wait for each other's workers would wait for ever.
    while (waiting[0] && waiting[0].count <= free.length) {
      const { count, start } = waiting.shift() as (typeof waiting)[number];
      start(free.splice(0, count));
    }
  };

  // Fewer workers than asked for would be another play.
  const giveUp = (reason: unknown) => {
    failure = { reason };
    for (const { fail } of waiting.splice(0)) fail(reason);
  };

  const giveBack = (slot: Slot) => {
    if (slot.process.isAlive() || stopping) {
      free.push(slot);
      serve();
      return;
    }
    staff(slot.station).then((next) => {
      slots.splice(slots.indexOf(slot), 1, next);
      if (stopping) return next.process.stop();
      free.push(next);
      serve();
      return undefined;
    }, giveUp);
  };

  const stations = await Promise.all(Array.from({ length: size }, () => openStation(endpoint)));
  slots.push(...(await Promise.all(stations.map(staff))));
  free.push(...slots);

  return {
    async lend(count, use) {
      const lent = await new Promise<Slot[]>((start, fail) => {
        if (failure) return fail(failure.reason);
        waiting.push({ count, start, fail });
        serve();
      });
      try {
        return await use(lent.map(({ worker }) => worker));
      } finally {
        for (const slot of lent) giveBack(slot);
      }
    },
    async stop() {
      stopping = true;
      await Promise.all(slots.map(({ process }) => process.stop()));
      await Promise.all(stations.map(closeStation));
    },
  };
}

/** What a function finds in its environment: all that tells it that this is not AWS. */
function workerEnv({ proxy, api }: Station): Record<string, string> {
  return { LOCK_TABLE, DATA_TABLE, TENANT_API_URL: api.url, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint };
}
