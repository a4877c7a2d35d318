/**
 * A host that runs one system; each other program in this folder calls it. It reads orders from stdin, one line of JSON
 * each, and answers with lines on stdout. So the process uses CPU only for the system and its client.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** The system's server, and how long a lock outlives a holder that dies. */
export interface Place {
  readonly url: string;
  readonly token: string;
  readonly tableName: string;
  readonly leaseMs: number;
}

/** Delivers one tick to a job, as a trigger would. Rejects with the task's own error, or if the system fails. */
export interface Deliver {
  (name: string, tickMs: number, task: Task): Promise<'ran' | 'skipped'>;
  /** How many requests or statements were sent, for a client that counts them. */
  readonly sent?: () => number;
}

/** The work of a job. The signal comes from systems that report to a run that its lock is lost. */
export type Task = (signal?: { readonly aborted: boolean }) => Promise<unknown>;

export type Order =
  /** One delivery, whose task takes `taskMs`. */
  | { readonly do: 'deliver'; readonly name: string; readonly tickMs: number; readonly taskMs: number }
  /**
   * `calls` deliveries, one after the other. `run`: each of another tick. `locked`: of a tick whose lock another
   * delivery holds. `done`: of a tick that is done.
   */
  | { readonly do: 'block'; readonly kind: 'run' | 'locked' | 'done'; readonly calls: number }
  /** `contenders` deliveries at once, all of one tick. */
  | { readonly do: 'contend'; readonly tickMs: number; readonly contenders: number }
  /** A run for each of `names` locks, 50 at a time. */
  | { readonly do: 'grow'; readonly names: number };

/** Hosts share a database, so names carry the pid. */
const own = (name: string): string => `${name} by ${process.pid}`;
const FIRST_TICK_MS = Date.now() - 1_000_000_000;
const STEP_MS = 10;

export async function host(open: (place: Place) => Deliver | Promise<Deliver>): Promise<void> {
  const deliver = await open(JSON.parse(process.argv[2] ?? '{}') as Place);
  const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
  const measured = (calls: number, call: () => Promise<string>, expected: string) =>
    measuredBy(deliver.sent, calls, call, expected);
  let tickMs = FIRST_TICK_MS;
  const nothing = async () => undefined;
  const skip = () => deliver(own('held'), HELD_TICK_MS, nothing);

  const ordered = async (order: Order): Promise<object> => {
    switch (order.do) {
      case 'deliver': {
        const outcome = await deliver(order.name, order.tickMs, async (signal) => {
          say({ said: 'began', tickMs: order.tickMs, atMs: Date.now() });
          const until = performance.now() + order.taskMs;
          while (performance.now() < until && signal?.aborted !== true) await sleep(STEP_MS);
          say({ said: 'ended', tickMs: order.tickMs, atMs: Date.now(), told: signal?.aborted === true });
        });
        return { outcome };
      }
      case 'block':
        if (order.kind === 'run')
          return measured(order.calls, () => deliver(own('measured'), tickMs++, nothing), 'ran');
        if (order.kind === 'locked') return whileHeld(deliver, () => measured(order.calls, skip, 'skipped'));
        await deliver(own('done'), HELD_TICK_MS, nothing);
        return measured(order.calls, () => deliver(own('done'), HELD_TICK_MS, nothing), 'skipped');
      case 'contend': {
        const all = Array.from({ length: order.contenders }, () => deliver(own('contended'), order.tickMs, nothing));
        const ended = await Promise.allSettled(all);
        const outcomes = ended.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'));
        return { outcomes };
      }
      case 'grow':
        for (let n = 0; n < order.names; n += 50) {
          const names = Array.from({ length: Math.min(50, order.names - n) }, (_, i) => own(`${n + i}`));
          await Promise.all(names.map((name) => deliver(name, tickMs, nothing)));
        }
        return {};
    }
  };

  say({ said: 'ready' });
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, ...order } = JSON.parse(line);
    void ordered(order as Order).then(
      (answer) => say({ said: 'done', id, ...answer }),
      (error: unknown) => say({ said: 'done', id, error: String(error) }),
    );
  }
  process.exit();
}

const HELD_TICK_MS = Date.now() - 60_000;

/** Does the work while another delivery of the tick holds the lock. */
async function whileHeld<T>(deliver: Deliver, work: () => Promise<T>): Promise<T> {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let holding = Promise.resolve<unknown>(undefined);
  await new Promise<void>((resolve, reject) => {
    holding = deliver(own('held'), HELD_TICK_MS, async () => {
      resolve();
      await ended;
      throw new Error('the tick stays open');
    });
    holding.catch(reject);
  });
  try {
    return await work();
  } finally {
    end();
    await holding.catch(() => undefined);
  }
}

async function measuredBy(
  sent: Deliver['sent'],
  calls: number,
  call: () => Promise<string>,
  expected: string,
): Promise<object> {
  const latenciesMs: number[] = [];
  const before = sent?.() ?? 0;
  const cpu = process.cpuUsage();
  for (let n = 0; n < calls; n++) {
    const start = performance.now();
    const outcome = await call();
    latenciesMs.push(performance.now() - start);
    if (outcome !== expected) throw new Error(`a call ${outcome}, and should have ${expected}`);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1_000 / calls, latenciesMs, requests: ((sent?.() ?? 0) - before) / calls };
}
