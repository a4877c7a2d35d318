import fc from 'fast-check';
import { lockAdmin } from 'single-execution/admin';
import { manualClock } from 'single-execution/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { readRecord } from '../../src/core/record/lock-record.js';
import { newAttemptId } from '../../src/core/values/names.js';
import type { Fields, Locks } from '../support/backends/backend.js';
import { startBackends } from '../support/backends/stage.js';
import { storeCall } from '../support/contract-harness.js';
import { openFake } from '../support/fake-table.js';
import { anyField, anyRecord, fieldsOf, MINUTE, verdictOf } from '../support/hostile-records.js';
import { call, claim, done, grant } from '../support/one-run.js';

const stage = await startBackends('dynamodb', 'redis');
afterAll(() => stage.stop());
const fake = openFake();
const on = (kind: 'fake' | 'dynamodb' | 'redis') => (kind === 'fake' ? fake : stage.on(kind));

let names = 0;
const freshName = () => `record-${names++}`;

describe.each([
  ['fake', 200],
  ['dynamodb', 80],
  ['redis', 300],
] as const)('F14 F15 any record on %s', (kind, numRuns) => {
  test('is corrupt by name or judged, never granted while it says held, and left alone by whoever has no grant', async () => {
    const locks = on(kind);
    const verdicts = new Set<string>();
    const judged = fc.asyncProperty(anyRecord, fc.boolean(), async (given, hasTick) => {
      const name = freshName();
      const fields = fieldsOf(given);
      await locks.put(name, fields);
      const before = await locks.admin.get(name, call());
      await askAll(locks, name);
      expect((await locks.admin.get(name, call()))?.item).toEqual(before?.item);

      const acquired = locks.store.acquire(claim({ name, ...(hasTick && { tickMs: Date.now() }) }), call());
      const verdict = await verdictOf(acquired);
      verdicts.add(verdict);
      if (given.set.length + given.missing.length === 0) expect(verdict).toBe(given.isHeld ? 'locked' : 'acquired');
      if (verdict !== 'acquired') return;

      expect(saysHeld(fields)).toBe(false);
      const result = await acquired;
      if (result.status !== 'acquired') throw new Error(verdict);
      const { lease } = result;
      expect(lease.fencingToken).toSatisfy((token: number) => Number.isSafeInteger(token) && token > 0);
      expect(lease.lockUntilMs).toBeGreaterThan(Date.now());
      expect(await verdictOf(locks.store.acquire(claim({ name }), call()))).toMatch(/^(locked|paused|corrupt .*)$/);
      expect(await verdictOf(locks.store.extend(lease, { leaseMs: 2 * MINUTE }, call()))).toBe('extended');
      expect(await verdictOf(locks.store.release(lease, done, call()))).toBe('released');
    });
    const belowZero = { isHeld: false, set: [['fencingToken', -5] as const], missing: [] };
    const inWords = { isHeld: true, set: [['lockUntil', 'soon'] as const], missing: [] };
    const sound = { set: [], missing: [] };
    await fc.assert(judged, {
      numRuns,
      examples: [
        [belowZero, false],
        [inWords, false],
        [{ isHeld: false, ...sound }, false],
        [{ isHeld: true, ...sound }, false],
      ],
    });

    for (const one of ['acquired', 'locked', 'corrupt lockUntil', 'corrupt fencingToken'])
      expect(verdicts).toContain(one);
    // A corrupt record does not hide other locks, and the list contains no invalid Date.
    const listed = await lockAdmin(locks.admin).list();
    expect(listed.some(({ state }) => state === 'corrupt')).toBe(true);
    expect(listed.filter(({ state }) => state !== 'corrupt').length).toBeGreaterThan(numRuns / 4);
    expect(instantsIn(listed).filter((instant) => Number.isNaN(instant.getTime()))).toEqual([]);
  });

  test('is not made worse by a holder whose own record it has become', async () => {
    const { store, admin, put } = on(kind);
    const stored = async (name: string) => (await admin.get(name, call()))?.item ?? {};
    const kept = fc.asyncProperty(anyField, fc.boolean(), fc.boolean(), async ([field, value], extendsIt, holds) => {
      fc.pre(field !== 'attemptId' && field !== 'state');
      const name = freshName();
      const lease = await grant(store, claim({ name, tickMs: Date.now() }));
      await put(name, new Map([...Object.entries(await stored(name)), [field, value]] as never));
      const before = wrongIn(await stored(name));

      const extended = extendsIt && (await verdictOf(store.extend(lease, { leaseMs: 2 * MINUTE }, call())));
      if (extended) expect(extended).toMatch(/^(extended|lost)$/);
      const completion = { ...done, lockAtLeastForMs: holds ? MINUTE : 0 };
      // On DynamoDB, a release compares the fencing token. If it was changed, the record is of another grant.
      const isAnotherGrant = kind !== 'redis' && field === 'fencingToken';
      expect(await verdictOf(store.release(lease, completion, call()))).toBe(isAnotherGrant ? 'lost' : 'released');
      expect(before).toEqual(expect.arrayContaining(wrongIn(await stored(name))));
    });
    const farOff = ['lockedAt', 99_999_999_999_999] as const;
    await fc.assert(kept, { numRuns: numRuns / 2, examples: [[farOff, false, true]] });
  });
});

test('F14 row 60: the fake table checks and writes any record as DynamoDB does', async () => {
  const equal = fc.asyncProperty(anyRecord, fc.boolean(), fc.boolean(), async (given, hasTick, markTickAtStart) => {
    // Skip `__proto__`: the SDK removes this attribute from items that it reads.
    fc.pre(!given.set.some(([field]) => field === '__proto__'));
    const name = freshName();
    const fields = fieldsOf(given);
    const asked = claim({ name, markTickAtStart, ...(hasTick && { tickMs: Date.now() }) });
    // The clock stands still, so that both tables write the same instants.
    const frozen = storeCall(manualClock(Date.now()));
    const judgedBy = async (kind: 'fake' | 'dynamodb') => {
      const { store, admin, put } = on(kind);
      await put(name, fields);
      return { verdict: await verdictOf(store.acquire(asked, frozen)), item: (await admin.get(name, frozen))?.item };
    };
    expect(await judgedBy('fake')).toEqual(await judgedBy('dynamodb'));
  });
  const belowZero = { isHeld: false, set: [['error', -0] as const], missing: [] };
  await fc.assert(equal, { numRuns: 120, examples: [[belowZero, false, false]] });
});

/** Whether the record shows a grant whose lease has not ended, so that nobody else may take the lock. */
function saysHeld(fields: Fields): boolean {
  const until = Number(fields.get('lockUntil'));
  return fields.get('state') === 'held' && until > Date.now() && until < 1e14;
}

function instantsIn(value: unknown): Date[] {
  if (value instanceof Date) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(instantsIn) : [];
}

/** Calls every verb but acquire, without holding the lock. */
async function askAll({ store, admin }: Locks, name: string): Promise<void> {
  const now = Date.now();
  const lease = {
    ...claim({ name }),
    fencingToken: 7,
    lockedAtMs: now,
    lockUntilMs: now,
    firstSentMono: 0,
    firstSentWall: now,
  };
  expect(await verdictOf(store.extend(lease, { leaseMs: MINUTE }, call()))).toBe('lost');
  expect(await verdictOf(store.release(lease, done, call()))).toMatch(/^(lost|released)$/);
  const force = { name, adminId: newAttemptId('f'), fencingToken: 7, lockedAtMs: now, nowMs: now };
  expect(await verdictOf(admin.forceRelease(force, call()))).toBe('changed');
  const listing = { name, openTicks: ',', failedTicks: ',', seen: { fencingToken: 7 } };
  expect(await verdictOf(admin.listTicks(listing, call()))).toBe('changed');
  expect(await verdictOf(lockAdmin(admin).get(name))).toMatch(/^(undefined|corrupt .*)$/);
  expect(await verdictOf(store.checkIn({ group: name, forget: [] }, call()))).toBe('undefined');
}

/** The attributes of a record that have a wrong type or range, and the rows that are in no slot. */
function wrongIn(item: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(item).flatMap(([attribute, value]) => {
    try {
      readRecord('digest', { [attribute]: value });
      return /^r([^a-zA-Z]|nan|inf)/.test(attribute) && !/^r\d$/.test(attribute) ? [attribute] : [];
    } catch {
      return [attribute];
    }
  });
}
