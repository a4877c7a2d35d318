import { type Clock, executeWithLock } from 'single-execution';
import { memoryStore } from 'single-execution/memory';

type Way = (signal: AbortSignal) => unknown;

/** Ways in which a handler can use its signal. Each throws or rejects if the signal has aborted. */
const WAYS: Readonly<Record<string, Way>> = {
  aborted: (signal) => {
    if (signal.aborted) throw signal.reason;
  },
  throwIfAborted: (signal) => signal.throwIfAborted(),
  'timers/promises': async (signal) => (await import('node:timers/promises')).setTimeout(1, undefined, { signal }),
  'events.once': async (signal) => {
    const { EventEmitter } = await import('node:events');
    const emitter = new EventEmitter();
    const event = EventEmitter.once(emitter, 'event', { signal });
    emitter.emit('event');
    await event;
  },
  'new Request': (signal) => new Request('http://127.0.0.1:9/', { signal }).signal.throwIfAborted(),
  'AbortSignal.any': (signal) => AbortSignal.any([signal]).throwIfAborted(),
  fetch: (signal) => fetch('http://127.0.0.1:9/', { signal }),
};

/** Tries each way when the lease is over but no timer has fired. @returns the ways in which the signal had aborted */
export async function askedEarly(): Promise<string[]> {
  const know = await Promise.all(Object.entries(WAYS).map(async ([name, way]) => ((await knows(way)) ? [name] : [])));
  return know.flat();
}

async function knows(way: Way): Promise<boolean> {
  let stoppedMs = 0;
  const clock: Clock = {
    now: () => Date.now() + stoppedMs,
    monotonic: () => performance.now() + stoppedMs,
    setTimer: () => ({ cancel() {} }),
  };
  const task = async ({ signal }: { readonly signal: AbortSignal }) => {
    stoppedMs = 3_600_000;
    await way(signal);
  };
  const run = executeWithLock(task, { name: 'asked', store: memoryStore(), lockAtMostFor: '1m', clock, observers: [] });
  return run.then(
    () => false,
    // Node's functions reject with an AbortError, not with the signal's reason.
    ({ name }: Error) => name === 'LockLostError' || name === 'AbortError',
  );
}
