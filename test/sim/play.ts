import {
  CorruptLockError,
  DeadlineError,
  type Execution,
  executeWithLock,
  LockLostError,
  LockStoreError,
} from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { type Random, random } from '../../demo/random.js';
import { type Host, host } from './host.js';
import { type Findings, ledger } from './ledger.js';
import { LOCK, lockServer, TABLE } from './lock-server.js';
import { REGIMES, type RegimeName, weather } from './regime.js';
import { timeline } from './timeline.js';

const START = Date.UTC(2026, 0, 1);
const TICK_MS = 8_000;
const TICKS = 5;
const DELIVERIES = 3;

/** Plays one world: a fleet whose hosts are sent the ticks of one job, and what befalls them. */
export async function play(seed: number, regimeName: RegimeName): Promise<Findings> {
  const regime = REGIMES[regimeName];
  const chance = random(`${regimeName} ${seed}`);
  const time = timeline(START);
  const library = chance.fork('library');
  Math.random = () => library.whole(0, 2 ** 30) / 2 ** 30;
  const tickMark = chance.pick(['success', 'success', 'start'] as const);
  const keepAlive = chance.chance(0.5);
  const leaseMs = keepAlive ? chance.pick([2_000, 4_000, 6_000]) : chance.pick([4_000, 8_000, 20_000]);
  const settings = {
    tickMark,
    keepAlive,
    lockAtMostFor: leaseMs,
    lockAtLeastFor: chance.pick([0, 0, 1_500]),
    wait: chance.pick([0, 0, 0, 3_000]),
    onError: chance.pick(['release', 'release', 'hold'] as const),
  };
  const book = ledger(regime, tickMark, time.now);
  const server = lockServer(time, chance.fork('network'), regime, weather(chance), book.onApplied);

  const hosts: Host[] = [];
  const boot = (n: number) => {
    const c = chance.fork(`host ${n}`);
    hosts[n % 4] = host(`host ${n}`, time, {
      aheadMs: c.whole(-regime.skewMs, regime.skewMs),
      rate: 1 + (c.whole(-100, 100) / 100) * regime.drift,
    });
  };
  for (let n = 0; n < 4; n++) boot(n);
  let born = 4;
  let underWay = 0;

  const invoke = async (on: Host, tick: number | undefined, retries: number, c: Random): Promise<void> => {
    const store = dynamoDBStore({ tableName: TABLE, client: server.clientOf(on) });
    const failure = new Error('the job failed');
    let returned: number | undefined;
    const task = async (execution: Execution) => {
      const run = book.start(on, execution.fencingToken, tick);
      try {
        for (let steps = c.whole(1, 8); steps > 0; steps--) {
          await sleep(on, c.pick([5, 80, 400, 1_500, 4_000]), execution.signal);
          execution.assertHeld();
          book.write(run);
        }
        if (c.chance(0.15)) throw failure;
        returned = execution.fencingToken;
        if (tick !== undefined) book.fulfilled(tick);
        return returned;
      } finally {
        book.end(run);
      }
    };
    underWay++;
    try {
      const outcome = await executeWithLock(task, {
        ...settings,
        name: LOCK,
        store,
        clock: on.clock,
        observers: [(event) => book.onEvent(on, event)],
        ...(tick !== undefined && { tick }),
      });
      if (outcome.status === 'executed' && outcome.value !== returned) book.violation('I10', 'another value came back');
      if (outcome.status === 'executed' && outcome.release === 'released' && tick !== undefined) book.succeeded(tick);
    } catch (error) {
      const isKnown = [LockStoreError, CorruptLockError, DeadlineError, LockLostError].some(
        (type) => error instanceof type,
      );
      if (error !== failure && !isKnown) book.violation('I10', `threw ${String(error)}`);
      if (error instanceof CorruptLockError) book.violation('I4', error.message);
      // The platform tries again, on any host.
      if (retries > 0)
        time.after(c.whole(3_000, 12_000), () => void invoke(c.pick(hosts), tick, retries - 1, c.fork('retry')));
    } finally {
      underWay--;
    }
  };

  // The ticks, each delivered at least once.
  for (let t = 0; t < TICKS; t++) {
    const c = chance.fork(`tick ${t}`);
    const tick = c.chance(0.1) ? undefined : START + t * TICK_MS;
    for (let copies = c.whole(1, DELIVERIES); copies > 0; copies--) {
      const lateMs = c.pick([0, 10, 300, 2_000, 12_000]) + c.whole(0, 50);
      const mine = c.fork(`copy ${copies}`);
      time.after(t * TICK_MS + lateMs, () => void invoke(mine.pick(hosts), tick, 2, mine));
    }
  }
  // What befalls hosts and operators.
  const end = TICKS * TICK_MS;
  for (let n = chance.pick([0, 1, 3]); n > 0; n--) {
    const victim = chance.whole(0, 3);
    time.after(chance.whole(0, end), () => {
      hosts[victim]?.crash();
      boot(victim + 4 * Math.ceil(born++ / 4));
    });
  }
  const befall = (times: number, happen: (on: Host) => void) => {
    for (let n = 0; n < times; n++) time.after(chance.whole(0, end), () => happen(chance.pick(hosts)));
  };
  if (regime.pauseMs > 0 && !regime.suspends) befall(4, (on) => on.pause(chance.whole(100, regime.pauseMs)));
  if (regime.suspends) befall(4, (on) => on.suspend(chance.whole(100, regime.pauseMs)));
  if (regime.steps) befall(4, (on) => on.stepWall(chance.whole(-regime.skewMs, regime.skewMs)));
  if (regime.operators) {
    befall(1, (on) => {
      const admin = lockAdmin(dynamoDBAdminStore({ tableName: TABLE, client: server.clientOf(on) }), {
        clock: on.clock,
      });
      const fencingToken = Number(server.item()?.['fencingToken'] ?? 0);
      admin.forceRelease(LOCK, { fencingToken }).catch(() => undefined);
      time.after(
        5_000,
        () => void admin.pause(LOCK, { until: Math.round(on.clock.now()) + 4_000 }).catch(() => undefined),
      );
    });
  }

  // Long enough for late messages, retries and dead leases to be over.
  await time.runUntil(START + end + 240_000);
  if (underWay > 0 && hosts.every((on) => on.isUp()) && born === 4)
    book.violation('I10', `${underWay} calls never ended`);
  for (const on of hosts) {
    if (on.isUp() && on.pendingTimers() > 0)
      book.violation('I10', `${on.pendingTimers()} timers were left on ${on.name}`);
  }
  return book.close(server.item());
}

function sleep(on: Host, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    on.after(ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
  });
}
