import { randomUUID } from 'node:crypto';
import type { LockAdminStore, LockStore, MemberList, MemberStore } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import type { ContractHarness } from 'single-execution/testing';
import { expect } from 'vitest';
import { claim } from './member-claim.js';

/** A store that keeps lists of members, and its surroundings. */
export interface MemberScene extends Pick<ContractHarness, 'call' | 'patch'> {
  readonly store: LockStore & MemberStore;
  readonly admin: LockAdminStore;
  /** What the clock says that check-ins are written by. */
  time(): number;
}

/** What every store promises of `checkIn`. */
export interface MemberCase {
  readonly name: string;
  check(scene: MemberScene): Promise<void>;
}

const ODD_NAMES: readonly string[] = [
  'two words',
  'eu:west',
  'sched#members',
  '50%',
  'line\nbreak',
  'nul\0',
  '日本 😀',
  'é',
  'e\u0301',
  'E',
  '"quoted"',
  "it's",
  '{"json":1}',
  '[1]',
  '123',
  'true',
  '=',
  ':now',
  '#m',
  'a.b[0]',
  'm:m:',
  'state',
  'lockUntil',
  '__proto__',
  'constructor',
  '-',
  'é'.repeat(32),
];
const MANY = Array.from({ length: 100 }, (_, i) => `process ${i} on a host`);
const A_MINUTE = 60_000;

const freshGroup = () => `group-${randomUUID()}`;
const namesOf = ({ members }: MemberList) => members.map(({ name }) => name).sort();
const enter = ({ store, call }: MemberScene, group: string, member: string, forget: readonly string[] = []) =>
  store.checkIn({ group, member, forget }, call());
const look = ({ store, call }: MemberScene, group: string, forget: readonly string[] = []) =>
  store.checkIn({ group, forget }, call());
const listed = async ({ admin }: MemberScene, group: string) =>
  (await lockAdmin(admin).list()).map(({ name }) => name).filter((name) => name.startsWith(group));

export const memberCases: readonly MemberCase[] = [
  {
    name: 'the first check-in makes the list, and brings it back at the instant it was written',
    async check(scene) {
      const group = freshGroup();
      const list = await enter(scene, group, 'a');

      expect(list).toEqual({ nowMs: expect.any(Number), members: [{ name: 'a', checkedInMs: list.nowMs }] });
      expect(Math.abs(list.nowMs - scene.time())).toBeLessThan(A_MINUTE);
      expect((await look(scene, group)).members).toEqual(list.members);
    },
  },
  {
    name: 'a later check-in keeps the others as they were',
    async check(scene) {
      const group = freshGroup();
      const first = await enter(scene, group, 'a');
      const second = await enter(scene, group, 'b');

      expect(new Map(second.members.map(({ name, checkedInMs }) => [name, checkedInMs]))).toEqual(
        new Map([
          ['a', first.nowMs],
          ['b', second.nowMs],
        ]),
      );
    },
  },
  {
    name: 'a check-in again moves the instant, and is no second member',
    async check(scene) {
      const group = freshGroup();
      const first = await enter(scene, group, 'a');
      await new Promise((resolve) => setTimeout(resolve, 3));
      const again = await enter(scene, group, 'a');

      expect(again.nowMs).toBeGreaterThan(first.nowMs);
      expect(again.members).toEqual([{ name: 'a', checkedInMs: again.nowMs }]);
    },
  },
  {
    name: 'who is forgotten is gone at once, and one who is not there is no matter',
    async check(scene) {
      const group = freshGroup();
      for (const member of ['a', 'b', 'c']) await enter(scene, group, member);

      expect(namesOf(await enter(scene, group, 'a', ['b', 'never there']))).toEqual(['a', 'c']);
      expect(namesOf(await look(scene, group, ['c']))).toEqual(['a']);
      expect(namesOf(await look(scene, group, ['a']))).toEqual([]);
      expect(namesOf(await look(scene, group))).toEqual([]);
      expect(namesOf(await enter(scene, group, 'b'))).toEqual(['b']);
    },
  },
  {
    name: 'one who only looks adds nobody, not even to a list that is not there',
    async check(scene) {
      const group = freshGroup();

      expect((await look(scene, group)).members).toEqual([]);
      await enter(scene, group, 'a');
      expect(namesOf(await look(scene, group))).toEqual(['a']);
      expect(namesOf(await look(scene, group))).toEqual(['a']);
    },
  },
  {
    name: 'names are kept as they are, whatever they hold, and forgotten by the same',
    async check(scene) {
      const group = freshGroup();
      for (const name of ODD_NAMES) await enter(scene, group, name);

      expect(namesOf(await look(scene, group))).toEqual([...ODD_NAMES].sort());
      for (const name of ODD_NAMES) await look(scene, group, [name]);
      expect(namesOf(await look(scene, group))).toEqual([]);
    },
  },
  {
    name: 'a hundred members fit, and a hundred are forgotten in one request',
    async check(scene) {
      const group = freshGroup();
      for (let at = 0; at < MANY.length; at += 10) {
        await Promise.all(MANY.slice(at, at + 10).map((member) => enter(scene, group, member)));
      }

      expect(namesOf(await look(scene, group))).toEqual([...MANY].sort());
      expect(namesOf(await enter(scene, group, 'last', MANY))).toEqual(['last']);
    },
  },
  {
    name: 'groups do not meet, nor does one whose name begins with that of another',
    async check(scene) {
      const group = freshGroup();
      await enter(scene, group, 'a');
      await enter(scene, `${group}2`, 'b');

      expect(namesOf(await look(scene, group))).toEqual(['a']);
      expect(namesOf(await look(scene, `${group}2`))).toEqual(['b']);
    },
  },
  {
    name: 'the lock of the group is left alone',
    async check(scene) {
      const { store, admin, call } = scene;
      const group = freshGroup();
      const granted = await store.acquire(claim(group), call());
      if (granted.status !== 'acquired') throw new Error(`refused: ${granted.reason}`);
      const before = structuredClone(await admin.get(group, call()));
      await enter(scene, group, 'a');
      await look(scene, group, ['a']);

      expect(await admin.get(group, call())).toEqual(before);
      const completion = { result: 'succeeded', lockAtLeastForMs: 0, markTickDone: false, durationMs: 1 } as const;
      expect(await store.release(granted.lease, completion, call())).toBe('released');
    },
  },
  {
    name: 'the list is no lock to an operator: not when it is new, nor when it was only looked at, nor when all have gone',
    async check(scene) {
      const [group, empty] = [freshGroup(), freshGroup()];
      await enter(scene, group, 'a');
      expect(await listed(scene, group)).toEqual([]);
      await look(scene, group, ['a']);
      expect(await listed(scene, group)).toEqual([]);
      await look(scene, empty);
      expect(await listed(scene, empty)).toEqual([]);
    },
  },
  {
    name: 'a lock that has the name of a list is one to an operator all the same',
    async check(scene) {
      const group = freshGroup();
      await scene.store.acquire(claim(`${group}#members`), scene.call());
      await enter(scene, group, 'a');

      expect(await listed(scene, group)).toEqual([`${group}#members`]);
    },
  },
];

/** Of stores whose records can be written to behind their back. */
export const patchedMemberCases: readonly MemberCase[] = [
  {
    name: 'what is no check-in is passed over',
    async check(scene) {
      const group = freshGroup();
      await enter(scene, group, 'a');
      await scene.patch?.(`${group}#members`, { 'm:b': 'soon', 'm:c': '', owner: 'Ann', since: 1_767_225_600_000 });

      expect(namesOf(await look(scene, group))).toEqual(['a']);
    },
  },
];
