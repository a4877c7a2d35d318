import {
  CorruptLockError,
  type Execution,
  executeWithLock,
  type LockEvent,
  LockLostError,
  LockStoreError,
  type Observer,
  RunEndedError,
} from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { rate } from 'single-execution/schedule';
import type { Random } from '../support/play/random.js';
import { type Host, sleep } from './host.js';
import { LOCK } from './lock-server.js';
import type { TickRules } from './tick-book.js';
import { befall, GUARD_MS, START, type World } from './world.js';

const TICK_MS = 8_000;
const TICKS = 5;
const DELIVERIES = 3;
/** How many calls without a tick come in a world whose runs keep their lock for long. */
const CALLS_WITHOUT_TICK = 4;
/** How often somebody runs the job by hand, in a world in which somebody does. */
const CALLS_BY_HAND = 3;
/** In a world with a broken job, this many ticks fail. Each of them comes once, and once more when it is redriven. */
const BROKEN_TICKS = 10;
/** Long enough for late messages, retries and the leases of dead holders to end. */
const AFTERMATH_MS = 240_000;
/** The most that a clock is set forward or starts ahead, in multiples of the regime's `skewMs`. */
const MOST_STEPS = 5;

/** @param chance the random source of the world */
export function rulesOf(chance: Random): TickRules {
  const tickMark = chance.chance(1 / 3) ? 'start' : 'success';
  const everyMs = chance.fork('schedule').pick([undefined, TICK_MS]);
  const c = chance.fork('catch-up');
  const catchesUp = c.chance(0.5) && tickMark === 'success' && everyMs !== undefined;
  const catchUp = { withinMs: c.pick([20_000, 90_000, 1_500_000]), max: c.pick([1, 3, 5]) };
  return { tickMark, everyMs, ...(catchesUp && { catchUp }) };
}

/**
 * A job whose ticks are delivered up to three times, each time to any host, and retried if they fail. Some ticks come
 * again much later; some only come later. In some worlds the job is broken at first, in some it catches up.
 */
export async function playJobs(world: World, { tickMark, everyMs, catchUp }: TickRules): Promise<void> {
  const { regime, store, chance, time, net, server, book, breaks, hosts } = world;
  const execute = breaks.execute?.(executeWithLock) ?? executeWithLock;
  const keepAlive = chance.chance(0.5);
  const asked = {
    name: LOCK,
    tickMark,
    keepAlive,
    ...(everyMs !== undefined && { schedule: rate(everyMs, { start: new Date(0) }) }),
    ...(catchUp && { catchUp: { mode: 'all', within: catchUp.withinMs, max: catchUp.max } as const }),
    lockAtMostFor: keepAlive ? chance.pick([2_000, 4_000, 6_000]) : chance.pick([4_000, 8_000, 20_000]),
    lockAtLeastFor: chance.pick([0, 0, 1_500]),
    wait: chance.pick([0, 0, 0, 3_000]),
    onError: chance.pick(['release', 'release', 'hold'] as const),
  };
  // In some worlds a run that succeeds keeps its lock until after the next tick, and calls without a tick come between.
  const holds = chance.fork('holds');
  const keepsLong = asked.lockAtLeastFor > 0 && holds.chance(0.5);
  const lockAtLeastFor = keepsLong ? asked.lockAtMostFor : asked.lockAtLeastFor;
  const settings = { ...asked, lockAtLeastFor, ...(lockAtLeastFor === 0 && { onError: 'release' as const }) };
  const brokenTicks = chance.fork('broken').chance(1 / 16) ? BROKEN_TICKS : 0;
  const brokenUntilMs = START + brokenTicks * TICK_MS;
  const ticks = TICKS + brokenTicks;
  /** The calls that have not ended, each with its host. */
  const underWay = new Set<{ readonly on: Host }>();
  let started = 0;

  const invoke = async (
    on: Host,
    tick: number | 'now' | undefined,
    retries: number,
    c: Random,
    observer: Observer = () => {},
  ): Promise<void> => {
    const isDeaf = c.chance(0.05);
    const isManual = tick === 'now';
    const caller = book.caller(on, isManual);
    /** How the last handler ended. A handler that fulfilled for an older tick does not count. */
    let end: { readonly value: number } | { readonly error: unknown } | undefined;
    const task = async (execution: Execution) => {
      started++;
      const { fencingToken: token, fencingToken, tick: at, isCatchUp, previous, signal, assertHeld } = execution;
      const run = book.start({ host: on, token, tick: at?.getTime(), isCatchUp, previous, signal, isDeaf });
      const isAsAsked = !isManual || (at === undefined && execution.missedTicks.length === 0);
      if (execution.isManual !== isManual || !isAsAsked)
        book.violation('I17', `run ${token} is not as it was asked for`);
      try {
        for (let steps = c.whole(1, 8); steps > 0; steps--) {
          await sleep(on, c.pick([5, 80, 400, 1_500, 4_000]), isDeaf ? undefined : signal);
          if (!isDeaf) (steps % 2 === 0 ? assertHeld : () => signal.throwIfAborted())();
          book.write(run);
        }
        if (c.chance(0.15) || time.now() < brokenUntilMs) throw new Error('the job failed');
        book.fulfilled(run, settings.lockAtLeastFor);
        if (!isCatchUp) end = { value: fencingToken };
        return fencingToken;
      } catch (error) {
        end = { error };
        throw error;
      } finally {
        book.end(run);
      }
    };
    const call = { on };
    underWay.add(call);
    try {
      const outcome = await execute(task, {
        ...settings,
        store: caller.asks(server.storeOf(on)),
        clock: breaks.clock?.(on.clock) ?? on.clock,
        observers: [caller.onEvent, observer],
        ...(tick === 'now' ? { isManual: true } : tick !== undefined && { tick }),
      });
      const isGiven =
        outcome.status === 'skipped' ? end === undefined : end && 'value' in end && outcome.value === end.value;
      if (!isGiven) book.violation('I10', `${outcome.status}, and not what the task gave`);
      if (outcome.status === 'executed') {
        const { fencingToken, caughtUp, release } = outcome;
        for (const one of caughtUp) book.succeeded(fencingToken, one.tick.getTime());
        if (release === 'released' && typeof tick === 'number') book.succeeded(fencingToken, tick);
      }
    } catch (error) {
      const isEnd = isRefusal(error) || (catchUp && error instanceof LockLostError);
      const isThrown = end && 'error' in end ? error === end.error : end === undefined && isEnd;
      if (!isThrown) book.violation('I10', `threw ${String(error)}`);
      if (error instanceof CorruptLockError) book.violation('I4', error.message);
      // The platform tries again, on any host.
      if (retries > 0)
        time.after(c.whole(3_000, 12_000), () => void invoke(c.pick(hosts), tick, retries - 1, c.fork('retry')));
    } finally {
      underWay.delete(call);
      caller.hasEnded();
    }
  };

  /** An operator lists some ticks as open, has them run, and gives up others. */
  const makeUp = async (on: Host, c: Random) => {
    const admin = lockAdmin(server.adminOf(on), { clock: on.clock });
    const [from, count] = [START + c.whole(0, ticks - 1) * TICK_MS, c.whole(1, ticks)];
    const asked = Array.from({ length: count }, (_, n) => from + n * TICK_MS);
    book.tell(`${on.name} has an operator list ${asked}`);
    book.mayChange('list', asked);
    const schedule = rate(TICK_MS, { start: new Date(0) });
    const gaps = await admin.backfill(LOCK, { from, to: from + count * TICK_MS, schedule }).catch(() => []);
    for (const gap of gaps) {
      time.after(c.whole(0, 20_000), () => void invoke(c.pick(hosts), gap.getTime(), 0, c.fork(`gap ${gap}`)));
    }
    const givenUp = asked.filter(() => c.chance(0.2));
    book.mayChange('forget', givenUp);
    time.after(c.whole(0, 20_000), () => void admin.forget(LOCK, givenUp).catch(() => undefined));
  };

  const expectEnded = () => {
    const open = [...underWay].filter(({ on }) => on.isUp());
    if (open.length > 0) book.violation('I10', `${open.length} calls never ended`);
  };

  for (let t = 0; t < ticks; t++) {
    const c = chance.fork(`tick ${t}`);
    const tick = c.chance(0.1) ? undefined : START + t * TICK_MS;
    const isBroken = t < brokenTicks;
    const redrive = c.fork('redrive');
    if (redrive.chance(isBroken ? 1 : 0.4)) {
      time.after(
        t * TICK_MS + redrive.whole(20_000, 100_000),
        () => void invoke(redrive.pick(hosts), tick, 1, redrive),
      );
      if (redrive.chance(isBroken ? 0 : 0.5)) continue;
    }
    for (let copies = isBroken ? 1 : c.whole(1, DELIVERIES); copies > 0; copies--) {
      const lateMs = c.pick([0, 10, 300, 2_000, 12_000]) + c.whole(0, 50);
      const mine = c.fork(`copy ${copies}`);
      time.after(t * TICK_MS + lateMs, () => void invoke(mine.pick(hosts), tick, isBroken ? 0 : 2, mine));
    }
  }
  for (let calls = keepsLong ? CALLS_WITHOUT_TICK : 0; calls > 0; calls--) {
    const c = holds.fork(`call ${calls}`);
    time.after(c.whole(0, ticks * TICK_MS), () => void invoke(c.pick(hosts), undefined, 0, c));
  }
  const hands = chance.fork('by hand');
  for (let calls = hands.chance(1 / 4) ? CALLS_BY_HAND : 0; calls > 0; calls--) {
    const c = hands.fork(`call ${calls}`);
    time.after(c.whole(0, ticks * TICK_MS), () => void invoke(c.pick(hosts), 'now', c.pick([0, 1]), c));
  }
  befall(world, ticks * TICK_MS);
  const operator = chance.fork('operator');
  if (regime.operators && tickMark === 'success' && operator.chance(0.5)) {
    for (let n = 0; n < 2; n++) {
      time.after(operator.whole(0, ticks * TICK_MS + 40_000), () => void makeUp(operator.pick(hosts), operator));
    }
  }
  await time.runUntil(START + ticks * TICK_MS + AFTERMATH_MS);
  expectEnded();

  // When all is well again, each host takes the lock once, however wrong its clock is.
  net.clearUp();
  for (const [i, on] of chance.shuffled(hosts).entries()) {
    // A dead holder, a `lockAtLeastFor` and a pause block for at most the difference of two clocks that were set.
    await time.runUntil(time.now() + 2 * MOST_STEPS * regime.skewMs + AFTERMATH_MS);
    const [runs, grants] = [started, book.grants()];
    let answer: unknown;
    const observe = (event: LockEvent) => {
      if (event.type === 'acquire-failed') answer = (event.error as { readonly code?: unknown }).code;
    };
    // Every second host gets the oldest open tick, if there is one; the others get a new tick.
    const tick = (i % 2 === 1 ? book.reopenable() : undefined) ?? time.now();
    void invoke(on, tick, 0, chance.fork(`when all is well on ${on.name}`), observe);
    await time.runUntil(time.now() + AFTERMATH_MS);
    if (book.grants() === grants) book.violation('I11', `${on.name} is not granted the lock when all is well`);
    // On DynamoDB, a host whose clock is behind by a lease can take a lock but not hold it, and gives it back at once.
    const isTooLate =
      store === 'dynamodb' && answer === 'CLOCK_SKEW' && on.aheadMs() < GUARD_MS - settings.lockAtMostFor;
    if (started === runs && !isTooLate) book.violation('I6', `the job does not run on ${on.name} when all is well`);
    expectEnded();
  }
}

/** Whether a call may reject with this error if its task was not called. */
function isRefusal(error: unknown): boolean {
  return [LockStoreError, CorruptLockError, RunEndedError].some((type) => error instanceof type);
}
