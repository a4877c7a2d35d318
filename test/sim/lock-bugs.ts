import { LockStoreError } from 'single-execution';
import { asHeldBy, free, NEVER_MS, without } from '../support/bugs/record.js';
import type { Breaks, Request, Stored } from './broken.js';
import {
  believes,
  bug,
  cancelsNot,
  ends,
  grants,
  leaves,
  overstays,
  plays,
  rewrites,
  type SimBug,
  sees,
} from './sim-bug.js';

const isOwn = (record: Stored, { asked: [claim] }: Request<'acquire'>) => record.attemptId === claim.attemptId;
const failure = (lockName: string, code: 'UNSETTLED' | 'UNAVAILABLE') =>
  new LockStoreError('it fails', { code, lockName, operation: 'acquire', retryable: true });

const found = new WeakMap<object, Stored>();
/** Gives a request the record that the first request of the same call found. */
const firstSeen = (record: Stored, { asked: [first] }: { readonly asked: readonly unknown[] }): Stored => {
  const seen = found.get(first as object) ?? record;
  found.set(first as object, seen);
  return seen;
};

/** When others ask for a lock whose lease is over, a late extension of its holder is sent as well. */
function lateExtensions(): Breaks {
  const extendBy = new Map<unknown, () => Promise<unknown>>();
  return {
    store: (store, { item, now, after }) => ({
      ...store,
      async acquire(claim, call) {
        const { state, lockUntil = 0, attemptId } = item();
        const late = extendBy.get(attemptId);
        if (state === 'held' && lockUntil < now() && late) {
          after((claim.attemptId.charCodeAt(5) % 16) * 20, () => void late().catch(() => {}));
        }
        const answer = await store.acquire(claim, call);
        if (answer.status === 'acquired') {
          const { lease } = answer;
          extendBy.set(lease.attemptId, () =>
            store.extend(lease, lease, { ...call, signal: new AbortController().signal }),
          );
        }
        return answer;
      },
    }),
  };
}

/** Bugs that break a promise of the lock itself, without regard to ticks. */
// biome-ignore format: each bug in a few rows
export const LOCK_BUGS: readonly SimBug[] = [
  // Acquire and takeover
  bug('an acquire takes whatever there is', [['dynamodb', 'synchronised', 1], ['redis', 'synchronised', 2], ['sql', 'synchronised', 1]],
    sees('acquire', (record) => record.state === 'held' ? free(record) : record)),
  bug('expiry is judged by the caller’s clock', [['dynamodb', 'skewed', 5], ['redis', 'skewed', 1]],
    sees('acquire', (record, { host }) =>
      record.state === 'held' && Number(record.lockUntil) <= host.clock.now() ? free(record) : record)),
  bug('expiry is judged by a Date header that is rounded up', ['dynamodb', 'stale', 33], { dateMs: 3_000 }),
  bug('a dead holder is waited for in vain', [['dynamodb', 'synchronised', 20], ['redis', 'synchronised', 1]],
    sees('acquire', (record, request) =>
      record.state === 'held' && !isOwn(record, request) ? { ...record, lockUntil: NEVER_MS } : record)),
  bug('the lock of a dead holder is an error, for ever', [['dynamodb', 'synchronised', 20], ['redis', 'synchronised', 1]],
    plays('acquire', async (ask, asked, { item, now }) => {
      const { state, lockUntil = 0 } = item();
      if (state === 'held' && lockUntil < now()) throw failure(asked[0].name, 'UNAVAILABLE');
      return ask(...asked);
    })),
  bug('a takeover does not look whether the lease was renewed', ['dynamodb', 'synchronised', 16],
    sees('acquire', (record, request) => {
      const { attemptId, lockUntil = 0 } = firstSeen(record, request);
      return record.state === 'held' && attemptId === record.attemptId ? { ...record, lockUntil } : record;
    }),
    lateExtensions()),
  bug('a takeover does not look whose lock it is', ['dynamodb', 'hostile', 210],
    sees('acquire', (record, request) => {
      const { attemptId = '', lockUntil = 0, state = 'held' } = firstSeen(record, request);
      return state === 'held' && attemptId !== '' ? { ...record, attemptId, lockUntil, state } : record;
    })),
  bug('an attempt whose answer was lost is not known again', [['dynamodb', 'synchronised', 2], ['redis', 'synchronised', 97]],
    sees('acquire', (record, request) =>
      record.state === 'held' && isOwn(record, request) ? { ...record, attemptId: 'x' } : record)),
  bug('an attempt that is over is granted', [['dynamodb', 'synchronised', 11], ['redis', 'synchronised', 17]],
    sees('acquire', (record, request) => {
      const isOver = record.state !== 'held' && isOwn(record, request);
      return { ...without(record, 'barredAttempt', 'barredAttempts'), ...(isOver && { attemptId: 'x', lockUntil: 1e12, releasedAt: 1e12 }) };
    })),
  bug('a cancelled attempt is granted all the same', [['dynamodb', 'skewed', 6], ['redis', 'synchronised', 29]],
    sees('acquire', (record) => without(record, 'barredAttempt', 'barredAttempts'))),
  bug('the fencing token does not rise', [['dynamodb', 'synchronised', 1], ['redis', 'synchronised', 1]],
    grants((record, { fencingToken }) => ({ ...record, ...(fencingToken && { fencingToken }) }))),
  bug('the fencing token starts at the clock each time', ['dynamodb', 'skewed', 1],
    grants((record) => ({ ...record, fencingToken: Number(record.lockedAt) + 1 }))),

  // Requests that are answered late, or never
  bug('an attempt that may yet be applied is not cancelled', [['dynamodb', 'hostile', 243], ['redis', 'synchronised', 29]],
    cancelsNot(() => true)),
  bug('an attempt that was refused is not cancelled, whatever became of its other tries',
    [['dynamodb', 'skewed', 33], ['redis', 'synchronised', 45]],
    cancelsNot(({ heard }) => heard.refusals > 0)),
  bug('an answer is sure although another try is pending', ['dynamodb', 'synchronised', 318],
    cancelsNot(({ heard }) => heard.failures === 0)),
  bug('a refusal for a tick that is done counts as unsure', [['dynamodb', 'synchronised', 5], ['redis', 'synchronised', 20]],
    plays('acquire', async (ask, asked) => {
      const answer = await ask(...asked);
      if (answer.status === 'refused' && answer.reason === 'already-executed') throw failure(asked[0].name, 'UNSETTLED');
      return answer;
    })),
  bug('a call that has its answer goes on sending', ['dynamodb', 'synchronised', 107], { echoMs: 2_500 }),
  bug('an extension counts before it is answered', ['dynamodb', 'synchronised', 144],
    plays('extend', async (ask, [lease, to, call]) => {
      const { clock } = call;
      const [firstSentMono, firstSentWall] = [clock.monotonic(), clock.now()].map((ms) => ms + 2 * to.leaseMs) as [number, number];
      void ask(lease, to, call).catch(() => {});
      return { status: 'extended' as const, lockUntilMs: lease.lockUntilMs + to.leaseMs, firstSentMono, firstSentWall };
    })),
  bug('one ended attempt is remembered, not twenty', ['redis', 'synchronised', 1],
    { leaves: (record) => record.barredAttempts ? { ...record, barredAttempts: String(record.barredAttempts.split(',')[0]) } : record }),
  bug('an attempt that was released is not written down', ['redis', 'synchronised', 151],
    leaves('release', keepsBars)),
  bug('an attempt that was taken over from is not written down', ['redis', 'suspended', 143], grants(keepsBars)),

  bug('a grant does not look whether its call is over', ['redis', 'synchronised', 24],
    rewrites("if isLate(ARGV[5]) then return answer('late') end", '')),
  bug('an extension does not look whether its call is over', ['redis', 'synchronised', 19],
    rewrites("if isLate(ARGV[3]) then return answer('late') end", '')),
  bug('a release that comes after its call is refused', ['redis', 'synchronised', 5],
    sees('release', (record, { host, begunMono, asked: [, , call] }) =>
      host.clock.monotonic() - begunMono > call.budgetMs ? { ...record, attemptId: 'x' } : record)),

  // The holder's time
  bug('the deadline counts from the answer', [['redis', 'synchronised', 22], ['sql', 'synchronised', 24]],
    believes((confirmed, { host }) => ({
      ...without(confirmed, 'capMono'), firstSentMono: host.clock.monotonic(), firstSentWall: host.clock.now(),
    }))),
  bug('a lease ends for its holder when it ends for others', ['dynamodb', 'synchronised', 45], overstays(4_200)),
  bug('the run goes on when its lease is over', [['dynamodb', 'synchronised', 16], ['redis', 'synchronised', 1]], overstays(1e7)),
  bug('the holder asks its own clock alone', ['dynamodb', 'skewed', 4], believes((confirmed) => without(confirmed, 'capMono'))),
  bug('the holder trusts the Date header to the millisecond', ['dynamodb', 'stale', 662],
    believes((confirmed) => ({ ...confirmed, capMono: Number(confirmed.capMono) + 4_000 }))),
  bug('a suspended monotonic clock is believed', ['dynamodb', 'suspended', 52], {
    clock: (clock) => {
      const bornMs = clock.now() - clock.monotonic();
      return { ...clock, now: () => bornMs + clock.monotonic() };
    },
  }),
  bug('a signal that is asked does not look at the clocks', [['dynamodb', 'suspended', 152], ['redis', 'hostile', 90]], {
    execute: (execute) => (task, options) => execute((execution) => {
      const heard = new AbortController();
      execution.signal.addEventListener('abort', () => heard.abort(execution.signal.reason), { once: true });
      return task({ ...execution, signal: heard.signal, assertHeld: () => heard.signal.throwIfAborted() });
    }, options),
  }),

  // Extend
  bug('a lost lease is renewed again', ['dynamodb', 'hostile', 503],
    overstays(1e7),
    plays('extend', async (ask, [lease, to, call]) => {
      const answer = await ask(lease, to, call);
      return answer.status === 'extended' ? answer : {
        status: 'extended' as const, lockUntilMs: lease.lockUntilMs, firstSentMono: call.clock.monotonic(), firstSentWall: call.clock.now(),
      };
    })),
  bug('anybody may extend', [['dynamodb', 'hostile', 26], ['redis', 'hostile', 3]],
    sees('extend', (record, { asked: [lease] }) => record.state ? asHeldBy(record, lease) : record)),
  bug('an extension may shorten', [['dynamodb', 'hostile', 18], ['redis', 'synchronised', 1]],
    sees('extend', (record) => ({ ...record, lockUntil: 1e12 })),
    plays('extend', (ask, [lease, , call]) => ask({ ...lease, lockUntilMs: 0 }, { leaseMs: 100 }, call))),

  // Release
  bug('anybody may release', [['dynamodb', 'synchronised', 13], ['redis', 'hostile', 2], ['sql', 'synchronised', 3]],
    sees('release', (record, { asked: [lease] }) => asHeldBy(record, lease))),
  bug('a late release ends another grant of its attempt', ['dynamodb', 'hostile', 100155],
    sees('release', (record, { asked: [{ attemptId, fencingToken }] }) =>
      record.attemptId === attemptId ? { ...record, fencingToken } : record)),
  bug('a run that failed is not released', [['dynamodb', 'synchronised', 3], ['redis', 'synchronised', 3]],
    plays('release', async (ask, asked) => asked[1].result === 'failed' ? 'released' : ask(...asked))),
  bug('a grant that came too late is not given back', ['dynamodb', 'skewed', 1],
    plays('release', async (ask, asked) => asked[1].durationMs === 0 ? 'released' : ask(...asked))),
  bug('a release forgets lockAtLeastFor', [['dynamodb', 'synchronised', 9], ['redis', 'synchronised', 2]],
    ends(() => ({ lockAtLeastForMs: 0 }))),
  bug('lockAtLeastFor counts for nothing', [['dynamodb', 'synchronised', 9], ['redis', 'synchronised', 61]],
    sees('acquire', (record) => record.state === 'released' ? { ...record, lockUntil: Number(record.releasedAt) } : record)),
  bug('a hold lets every tick through', [['dynamodb', 'synchronised', 24], ['redis', 'synchronised', 4], ['sql', 'synchronised', 13]],
    sees('acquire', (record) => isKept(record) ? without(record, 'tick') : record)),
  bug('a hold keeps out ticks that are owed', [['dynamodb', 'synchronised', 24], ['redis', 'synchronised', 72], ['sql', 'synchronised', 6]],
    sees('acquire', (record) => isKept(record) ? { ...record, result: 'failed' } : record)),
  bug('a hold keeps out ticks after a run without a tick', [['dynamodb', 'synchronised', 38], ['redis', 'synchronised', 140], ['sql', 'synchronised', 6]],
    sees('acquire', (record) => isKept(record) ? { tick: 1e12, ...record } : record)),
  bug('a hold lets ticks through after a failure', [['dynamodb', 'synchronised', 92], ['redis', 'synchronised', 24], ['sql', 'synchronised', 155]],
    sees('acquire', (record) => isKept(record) ? { ...record, result: 'succeeded' } : record)),
  bug('a grant without a tick leaves the tick of the run before', [['dynamodb', 'synchronised', 38], ['redis', 'synchronised', 140], ['sql', 'synchronised', 25]],
    grants((record, { tick }, { asked: [claim] }) => tick && claim.tickMs === undefined ? { ...record, tick } : record)),
  bug('a released lock is free since 1970', ['dynamodb', 'synchronised', 1],
    leaves('release', (record) => ({ ...record, lockUntil: 1e12, releasedAt: 1e12 }))),
  bug('a release drops the fence that its run took over from', ['dynamodb', 'skewed', 51],
    plays('release', (ask, [lease, ...rest]) => ask(without(lease, 'fenceMs'), ...rest))),
  bug('a lock that was given back waits for the clock that gave it back', ['dynamodb', 'skewed', 2],
    sees('acquire', (record) => record.state === 'released' ? without(record, 'releasedAt') : record)),
  bug('a release that fails replaces what the task gave', ['dynamodb', 'synchronised', 50], {
    execute: (execute) => async (task, options) => {
      let failure: unknown;
      const outcome = await execute(task, {
        ...options,
        observers: [...(options.observers ?? []), (event) => { if (event.type === 'release-failed') failure = event.error; }],
      });
      if (failure) throw failure;
      return outcome;
    },
  }),
  bug('a failure is swallowed', ['dynamodb', 'synchronised', 3], {
    execute: (execute) => (task, options) => execute(task, options).catch(() => ({ status: 'executed', caughtUp: [] }) as never),
  }),

  // Operators
  bug('an operator frees whatever lock there is', [['dynamodb', 'hostile', 77], ['redis', 'hostile', 39], ['sql', 'hostile', 1]],
    sees('forceRelease', (record, { asked: [{ fencingToken }] }) => ({ ...record, fencingToken }))),
  bug('an operator deletes a lock that has been used since it was seen', [['dynamodb', 'hostile', 33], ['redis', 'hostile', 18]],
    sees('delete', (record, { asked: [{ fencingToken }] }) => ({ ...record, fencingToken }))),
  bug('an operator deletes a lock that is held', [['dynamodb', 'hostile', 26], ['redis', 'hostile', 9]],
    sees('delete', (record) => record.state === 'held' ? { ...record, state: 'forced' } : record)),
  bug('a delete does not compare what it was judged by', ['dynamodb', 'hostile', 70],
    sees('delete', firstSeen)),
  bug('a delete drops the fencing token', ['dynamodb', 'hostile', 21],
    leaves('delete', (record) => without(record, 'fencingToken'))),
  bug('a lock that was freed by force waits for the operator’s clock', ['dynamodb', 'hostile', 17],
    sees('acquire', (record) => record.state === 'forced' ? { ...without(record, 'releasedAt'), state: 'released' } : record)),
  bug('a lock that was deleted waits for the operator’s clock', ['dynamodb', 'hostile', 1],
    sees('acquire', (record) => record.state === 'deleted' ? { ...record, state: 'released' } : record)),
];

/** Whether `lockAtLeastFor` keeps the lock of a run that has ended. */
function isKept({ state, lockUntil, releasedAt }: Stored): boolean {
  return state === 'released' && lockUntil !== releasedAt;
}

function keepsBars(record: Stored, { barredAttempts = '' }: Stored): Stored {
  return { ...record, barredAttempts };
}
