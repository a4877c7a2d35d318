import { executeWithLock, type Observer } from 'single-execution';
import { rate } from 'single-execution/schedule';
import { pass } from '../support/clocks.js';
import { crash, MINUTE, memoryLocks, NOW } from '../support/memory-locks.js';

function setting(observer: Observer) {
  const { options, ...locks } = memoryLocks();
  return { ...locks, options: { ...options, observers: [observer] } };
}

/** What an operator must be told, and a program in which it happens. */
export const SCENES: Readonly<Record<string, (observer: Observer) => Promise<void>>> = {
  async skipped(observer) {
    const { options } = setting(observer);
    for (const tick of [NOW, NOW]) await executeWithLock(() => 'sent', { ...options, tick });
  },
  async lost(observer) {
    const { options, clock } = setting(observer);
    const running = executeWithLock(() => pass(clock, 70_000), options);
    await clock.advance(70_000);
    await running;
  },
  async recovered(observer) {
    const { options, clock } = setting(observer);
    await crash({ ...options, observers: [] });
    await clock.advance(2 * MINUTE);
    await executeWithLock(() => 'sent', options);
  },
  async missed(observer) {
    const { options, clock } = setting(observer);
    await executeWithLock(() => 'sent', { ...options, observers: [], tick: NOW, schedule: '1m' });
    await clock.advance(4 * MINUTE);
    await executeWithLock(() => 'sent', { ...options, tick: NOW + 4 * MINUTE, schedule: '1m' });
  },
  async 'caught-up'(observer) {
    const { options, clock } = setting(observer);
    const job = { ...options, schedule: rate('1m', { start: new Date(NOW) }), catchUp: { mode: 'all' } } as const;
    await executeWithLock(() => 'sent', { ...job, observers: [], tick: NOW });
    await clock.advance(2 * MINUTE);
    await executeWithLock(() => 'sent', { ...job, tick: NOW + 2 * MINUTE });
  },
  async 'acquire-failed'(observer) {
    const { options } = setting(observer);
    options.store.acquire = () => Promise.reject(new Error('out of reach'));
    await executeWithLock(() => 'sent', options).catch(() => undefined);
  },
};
