import { setTimeout as sleep } from 'node:timers/promises';
import type { MemberList, MemberStore } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { expect } from 'vitest';
import { type ContractCase, contractCase } from '../../src/testing/contract/stage/case.js';
import type { Scene } from '../../src/testing/contract/stage/scene.js';

const ODD_NAMES: readonly string[] = [
  ...['two words', 'eu:west', 'sched#members', '50%', 'line\nbreak', 'nul\0', '日本 😀', 'é', 'e\u0301', 'E'],
  ...['"quoted"', "it's", '{"json":1}', '[1]', '123', 'true', '=', ':now', '#m', 'a.b[0]', 'm:m:', 'state'],
  ...['lockUntil', '__proto__', 'constructor', '-', 'é'.repeat(32)],
];
const MANY = Array.from({ length: 100 }, (_, i) => `process ${i} on a host`);
const A_MINUTE = 60_000;

const checkIn = ({ harness }: Scene, asked: Parameters<MemberStore['checkIn']>[0]): Promise<MemberList> =>
  (harness.store as unknown as MemberStore).checkIn(asked, harness.call());
const enter = (scene: Scene, member: string, forget: readonly string[] = [], group = scene.name) =>
  checkIn(scene, { group, member, forget });
const look = (scene: Scene, forget: readonly string[] = [], group = scene.name) => checkIn(scene, { group, forget });
const namesOf = ({ members }: MemberList) => members.map(({ name }) => name).sort();
const listed = async ({ admin, name }: Scene) =>
  (await lockAdmin(admin).list()).map((lock) => lock.name).filter((lock) => lock.startsWith(name));

/** What every store promises for `checkIn`. The group has the name of the case's lock. */
export const memberCases: readonly ContractCase[] = [
  memberCase('the first check-in makes the list, by the clock that leases are granted by', async (scene) => {
    const { lockedAtMs } = await scene.grant();
    const list = await enter(scene, 'a');

    expect(list).toEqual({ nowMs: expect.any(Number), members: [{ name: 'a', checkedInMs: list.nowMs }] });
    expect(Math.abs(list.nowMs - lockedAtMs)).toBeLessThan(A_MINUTE);
    expect((await look(scene)).members).toEqual(list.members);
  }),

  memberCase('a later check-in keeps the others as they were', async (scene) => {
    const first = await enter(scene, 'a');
    const second = await enter(scene, 'b');

    expect(new Set(second.members)).toEqual(
      new Set([
        { name: 'a', checkedInMs: first.nowMs },
        { name: 'b', checkedInMs: second.nowMs },
      ]),
    );
  }),

  memberCase('a check-in again moves the instant, and is no second member', async (scene) => {
    const first = await enter(scene, 'a');
    let again = first;
    // The clock of a store can have whole seconds.
    for (const end = performance.now() + 3_000; again.nowMs === first.nowMs && performance.now() < end; ) {
      await sleep(3);
      again = await enter(scene, 'a');
    }

    expect(again.nowMs).toBeGreaterThan(first.nowMs);
    expect(again.members).toEqual([{ name: 'a', checkedInMs: again.nowMs }]);
  }),

  memberCase('a forgotten member is gone at once, and forgetting a missing one does nothing', async (scene) => {
    for (const member of ['a', 'b', 'c']) await enter(scene, member);

    expect(namesOf(await enter(scene, 'a', ['b', 'never there']))).toEqual(['a', 'c']);
    expect(namesOf(await look(scene, ['c']))).toEqual(['a']);
    expect(namesOf(await look(scene, ['a']))).toEqual([]);
    expect(namesOf(await look(scene))).toEqual([]);
    expect(namesOf(await enter(scene, 'b'))).toEqual(['b']);
  }),

  memberCase('a member that only reads adds nobody, not even to a missing list', async (scene) => {
    expect(namesOf(await look(scene))).toEqual([]);
    await enter(scene, 'a');
    expect(namesOf(await look(scene))).toEqual(['a']);
    expect(namesOf(await look(scene))).toEqual(['a']);
  }),

  memberCase('names are kept as they are, whatever they hold, and forgotten by the same', async (scene) => {
    for (const name of ODD_NAMES) await enter(scene, name);

    expect(namesOf(await look(scene))).toEqual([...ODD_NAMES].sort());
    for (const name of ODD_NAMES) await look(scene, [name]);
    expect(namesOf(await look(scene))).toEqual([]);
  }),

  memberCase('a hundred members fit, and a hundred are forgotten in one request', async (scene) => {
    for (let at = 0; at < MANY.length; at += 10) {
      await Promise.all(MANY.slice(at, at + 10).map((member) => enter(scene, member)));
    }

    expect(namesOf(await look(scene))).toEqual([...MANY].sort());
    expect(namesOf(await enter(scene, 'last', MANY))).toEqual(['last']);
  }),

  memberCase('groups do not meet, nor does one whose name begins with that of another', async (scene) => {
    const longer = `${scene.name}2`;
    await enter(scene, 'a');
    await enter(scene, 'b', [], longer);

    expect(namesOf(await look(scene))).toEqual(['a']);
    expect(namesOf(await look(scene, [], longer))).toEqual(['b']);
  }),

  memberCase('the lock of the group is left alone', async (scene) => {
    const lease = await scene.grant();
    const before = await scene.record();
    await enter(scene, 'a');
    await look(scene, ['a']);

    expect(await scene.record()).toEqual(before);
    expect(await scene.release(lease)).toBe('released');
  }),

  memberCase('the list is no lock to an operator: neither new, nor looked at, nor left by all', async (scene) => {
    await look(scene);
    expect(await listed(scene)).toEqual([]);
    await enter(scene, 'a');
    expect(await listed(scene)).toEqual([]);
    await look(scene, ['a']);
    expect(await listed(scene)).toEqual([]);
  }),

  memberCase('a lock that has the name of a list is one to an operator all the same', async (scene) => {
    const name = `${scene.name}#members`;
    await scene.grant({ name });
    await enter(scene, 'a');

    expect(await listed(scene)).toEqual([name]);
  }),

  contractCase(
    'what is no check-in is passed over',
    async (scene) => {
      await enter(scene, 'a');
      const strange = { 'm:b': 'soon', 'm:c': '', owner: 'Ann', since: 1_767_225_600_000 };
      await scene.harness.patch?.(`${scene.name}#members`, strange);

      expect(namesOf(await look(scene))).toEqual(['a']);
    },
    ['admin', 'patch'],
  ),
];

function memberCase(name: string, play: (scene: Scene) => Promise<void>): ContractCase {
  return contractCase(name, play, ['admin']);
}
