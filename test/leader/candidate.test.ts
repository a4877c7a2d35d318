import { createLeaderElection, type ElectionOptions, withLeadership } from 'single-execution/leader';
import { memoryStore } from 'single-execution/memory';
import { describe, expect, test, vi } from 'vitest';
import { scriptedStore } from '../support/scripted-store.js';
import { electionScene } from './election-scene.js';

const store = memoryStore();
const elect = (options: object) => () => createLeaderElection({ name: 'sched', store, ...options } as ElectionOptions);
const wrap = (options: object) => () =>
  withLeadership(() => {}, { name: 'crons', store, candidate: 'eu', lease: '1m', ...options } as never);

const BOTH = [
  ['createLeaderElection', elect],
  ['withLeadership', wrap],
] as const;

describe.each(BOTH)('%s refuses', (_, make) => {
  test.each<[string, object, typeof TypeError | typeof RangeError, string]>([
    ['an unknown option', { leese: '1m' }, TypeError, "unknown option 'leese'"],
    ['no name', { name: undefined }, TypeError, 'name is undefined'],
    ['no store', { store: undefined }, TypeError, 'store is undefined'],
    ['a store that is none', { store: {} }, TypeError, "store has no function 'acquire'"],
    ['an empty candidate', { candidate: '' }, RangeError, "candidate is ''"],
    ['a candidate that is 7', { candidate: 7 }, TypeError, 'candidate is 7: pass the name of the candidate, a string'],
    ['a candidate not in NFC', { candidate: 'e\u0301' }, RangeError, 'not in Unicode form NFC'],
    ['a candidate of 65 bytes', { candidate: `${'é'.repeat(32)}x` }, RangeError, 'over 64 bytes; shorten it'],
    ['a lease under a second', { lease: 999 }, RangeError, 'lease is 999: pass 1s to 24h'],
    ['a lease over a day', { lease: '24h1ms' }, RangeError, "lease is '24h1ms': pass 1s to 24h"],
    ['a lease that cannot be read', { lease: '10' }, TypeError, "lease is '10'"],
    ['observers that are no functions', { observers: [7] }, TypeError, 'observers is'],
    ['a clock that is none', { clock: {} }, TypeError, "clock has no function 'now'"],
  ])('%s, at once', (_case, options, kind, message) => {
    expect(make(options)).toThrow(kind);
    expect(make(options)).toThrow(message);
  });

  test('options that are none', () => {
    for (const options of [undefined, null, 'sched']) {
      const call =
        _ === 'withLeadership'
          ? () => withLeadership(() => {}, options as never)
          : () => createLeaderElection(options as never);
      expect(call).toThrow(TypeError);
    }
  });

  test.each([
    ['a lease of a second', { lease: '1s' }],
    ['a lease of a day', { lease: '24h' }],
    ['a candidate of 64 bytes', { candidate: 'é'.repeat(32) }],
    ['a candidate with odd characters', { candidate: 'eu-west-1: 50% #2 日本' }],
  ])('not: %s', (_case, options) => {
    expect(make(options)).not.toThrow();
  });
});

describe('createLeaderElection refuses', () => {
  test.each<[string, object, typeof TypeError | typeof RangeError, string]>([
    ['a store without a list of members', { store: scriptedStore() }, TypeError, "store has no function 'checkIn'"],
    ['a retry that cannot be read', { retryEvery: 'often' }, TypeError, "retryEvery is 'often'"],
    ['no pause between two questions', { retryEvery: 0 }, RangeError, 'retryEvery is 0'],
    ['hardly any pause between two questions', { retryEvery: '19ms' }, RangeError, "retryEvery is '19ms'"],
    ['an onStarted that is no function', { onStarted: {} }, TypeError, 'onStarted is'],
    ['an onStopped that is no function', { onStopped: 'log' }, TypeError, "onStopped is 'log'"],
    // Its list is `<name>#members`.
    ['a name whose list of members could have none', { name: 'n'.repeat(121) }, RangeError, 'shorten it'],
  ])('%s, at once', (_, options, kind, message) => {
    expect(elect(options)).toThrow(kind);
    expect(elect(options)).toThrow(message);
  });

  test('not: the longest name, whose list has a name as well', async () => {
    expect(await elect({ name: 'n'.repeat(120) })().members()).toEqual([]);
  });
});

test('withLeadership refuses no candidate: every process by itself would be one', () => {
  expect(wrap({ candidate: undefined })).toThrow('candidate is undefined: pass the name of the candidate, a string');
});

test('withLeadership refuses a handler that is no function', () => {
  const options = { name: 'crons', store, candidate: 'eu', lease: '1m' };
  expect(() => withLeadership('handler' as never, options)).toThrow("handler is 'handler': pass the function to wrap");
});

test('a candidate without a name is given one of its own: its process, and something random', () => {
  const names = Array.from({ length: 1_000 }, () => elect({})().candidate);

  expect(names[0]).toMatch(new RegExp(`^process ${process.pid}( on .+)? c[\\w-]{8}$`));
  expect(new Set(names).size).toBe(1_000);
});

test.each<[string, string, RegExp]>([
  [
    'a pod of a long name by its beginning and its end',
    `${'billing-'.repeat(28)}reports-7d9f8b6c5d-x7k2p`,
    /^process \d+ on billing-[bilng-]*\.\.\.rts-7d9f8b6c5d-x7k2p c[\w-]{8}$/,
  ],
  [
    'a host of a name that just fits by all of it',
    'h'.repeat(54 - `process ${process.pid} on `.length),
    /^process \d+ on h+ c[\w-]{8}$/,
  ],
  ['a host of an odd name by what of it can be printed', 'b\u00fcro\n7', /^process \d+ on b\?ro\?7 c[\w-]{8}$/],
])('a candidate without a name names %s', (_, host, shown) => {
  vi.stubEnv('HOSTNAME', host);
  const { candidate } = elect({})();

  expect(candidate).toMatch(shown);
  expect(candidate.length).toBeLessThanOrEqual(64);
});

test('onStarted and onStopped may be left out', async () => {
  const { clock } = electionScene();
  const election = createLeaderElection({ name: 'bare', store: memoryStore(), clock, observers: [] });
  election.start();
  await clock.advance(60_000);
  expect(election.isLeader()).toBe(true);
  await election.stop();
  expect(clock.pendingTimers()).toBe(0);
});
