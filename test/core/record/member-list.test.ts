import { expect, test } from 'vitest';
import { isMemberList, memberAttribute, readMemberList } from '../../../src/core/record/member-list.js';
import { memberListName } from '../../../src/core/values/names.js';

const NOW = 1_774_749_600_000;

test('reads the members off a record, and passes over what is no check-in', () => {
  const item = {
    lockName: memberListName('shard'),
    [memberAttribute('a')]: NOW - 1_000,
    [memberAttribute('m:')]: String(NOW),
    [memberAttribute('too long')]: 10 * NOW,
    [memberAttribute('too short')]: 999_999_999_999,
    [memberAttribute('no number')]: `x${NOW}`,
    b: NOW,
  };

  expect(readMemberList(NOW, item)).toEqual({
    nowMs: NOW,
    members: [
      { name: 'a', checkedInMs: NOW - 1_000 },
      { name: 'm:', checkedInMs: NOW },
    ],
  });
});

test.each<[string, string, Record<string, unknown>, boolean]>([
  ['a list', 'shard#members', { [memberAttribute('a')]: NOW }, true],
  ['an empty list', 'shard#members', {}, true],
  ['a lock', 'shard', {}, false],
  ['a lock whose name ends like that of a list', 'shard#members', { fencingToken: 7 }, false],
])('knows %s', (_, name, item, isList) => {
  expect(isMemberList(name, item)).toBe(isList);
});
