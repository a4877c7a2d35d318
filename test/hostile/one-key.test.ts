import { lockAdmin } from 'single-execution/admin';
import { afterAll, describe, expect, test } from 'vitest';
import { FOREVER_MS } from '../../src/core/record/lock-record.js';
import { startBackends } from '../support/backends/stage.js';
import { MINUTE, soundRecord, verdictOf } from '../support/hostile-records.js';
import { call, claim, grant } from '../support/one-run.js';

/*
 * Tests the claims of SECURITY.md on what an attacker can do who may write to only one key of the table.
 */

const stage = await startBackends('dynamodb', 'redis');
afterAll(() => stage.stop());

const YEAR_5000 = 95_617_584_000_000;

describe.each(['dynamodb', 'redis'] as const)('F93 F94 who may write one key of %s', (kind) => {
  const locks = () => stage.on(kind);
  const admin = () => lockAdmin(locks().admin);
  const tamper = (name: string, fields: Readonly<Record<string, string | number>>, isHeld = false) =>
    locks().put(name, new Map([...soundRecord(isHeld), ...Object.entries(fields)]));
  const acquire = (name: string, tickMs?: number) =>
    verdictOf(locks().store.acquire(claim({ name, ...(tickMs !== undefined && { tickMs }) }), call()));

  test.each([
    ['lockUntil', { lockUntil: YEAR_5000 }],
    ['lockedAt and lockUntil', { lockedAt: YEAR_5000, lockUntil: YEAR_5000 }],
  ])('can hold its lock for good by its %s, until an operator frees it', async (name, held) => {
    await tamper(name, held, true);
    expect(await acquire(name)).toBe('locked');
    expect(await acquire(`beside ${name}`)).toBe('acquired');

    const { fencingToken = 0 } = (await admin().get(name)) ?? {};
    expect(await admin().forceRelease(name, { fencingToken })).toMatchObject({ status: 'forced' });
    expect(await acquire(name)).toBe('acquired');
  });

  test('can free it while its holder runs: the next holder has a greater fencing token', async () => {
    const { store } = locks();
    const { fencingToken } = await grant(store, claim({ name: 'free' }));
    await tamper('free', { fencingToken });

    const next = await grant(store, claim({ name: 'free' }));
    expect(next.fencingToken).toBeGreaterThan(fencingToken);
  });

  test('can lower its token on DynamoDB: the next run is refused by what has seen a greater one', async () => {
    const { store } = locks();
    const { fencingToken } = await grant(store, claim({ name: 'lower' }));
    await tamper('lower', { fencingToken: 41 });

    const next = await grant(store, claim({ name: 'lower' }));
    if (kind === 'redis') expect(next.fencingToken).toBeGreaterThanOrEqual(fencingToken);
    else expect(next.fencingToken).toBe(42);
  });

  test('can leave it to nobody for one lease on DynamoDB, by a token too great', async () => {
    await tamper('nobody', { fencingToken: 2 ** 53 - 1 });
    expect(await acquire('nobody')).toBe('corrupt fencingToken');

    const { item } = (await locks().admin.get('nobody', call())) ?? {};
    expect(item?.['state']).toBe(kind === 'redis' ? 'released' : 'held');
  });

  test('can pause its job, until an operator resumes it', async () => {
    await tamper('pause', { pausedUntil: FOREVER_MS });
    expect(await acquire('pause')).toBe('paused');
    expect(await acquire('pause, another')).toBe('acquired');

    await admin().resume('pause');
    expect(await acquire('pause')).toBe('acquired');
  });

  test.each<[string, Record<string, string | number>, string]>([
    ['mark all its ticks as done', { doneTick: YEAR_5000 }, 'stale-tick'],
    ['push its token to the end', { fencingToken: 2 ** 53 - 2 }, 'acquired'],
    ['push its token beyond', { fencingToken: 2 ** 53 - 1 }, 'corrupt fencingToken'],
    ['corrupt its own lock', { lockUntil: 'for ever' }, 'corrupt lockUntil'],
  ])('can %s, which is corrected by hand, and reaches no other lock', async (what, fields, verdict) => {
    await tamper(what, fields);
    expect(await acquire(what, Date.now())).toBe(verdict);

    expect(await acquire(`${what}, another`, Date.now())).toBe('acquired');
    await tamper(what, {});
    expect(await acquire(what, Date.now())).toBe('acquired');
  });

  test('cannot be granted what a live holder has, whatever else it writes there', async () => {
    await tamper('live', { doneTick: Date.now() - MINUTE, result: 'succeeded', lockedBy: 'me', pausedUntil: 0 }, true);
    expect(await acquire('live')).toBe('locked');
  });
});
