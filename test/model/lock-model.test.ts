import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { providePrograms } from '../support/provided-programs.js';

/*
 * The model of the protocol on DynamoDB (model/README.md). Spin searches all its histories within small bounds. Each
 * rule that is broken on purpose must be found within bounds in which the sound model has no fault. These tests need
 * spin and a C compiler. Missing ones are installed if possible; otherwise the tests fail.
 */

const run = promisify(execFile);
const MODEL = fileURLToPath(new URL('../../model/lock.pml', import.meta.url));
const SEARCH_MS = 180_000;

/**
 * Two attempts after any past. They show more about ticks than many attempts from the first one on, in far less time.
 */
const ANY_PAST = 'CRASHES=0 SKEW=0 ANY_PAST';

/** A schedule makes every tick due. The lease is long enough for a mark that gets no answer. */
const CATCH_UP = 'LEASE=5 EXPECTED_EVERY_TICK';

/** Each entry widens few dimensions. All of them at once would take hours. */
const BOUNDS = {
  'more time': 'TRIES=1 CRASHES=0 UNITS=7',
  'requests sent again': 'TRIES=2 CRASHES=0 UNITS=6',
  'a crash': 'TRIES=1 CRASHES=1 UNITS=6',
  'an extension': 'TRIES=1 CRASHES=0 UNITS=6 EXTENSIONS=1',
  'a doubled message': 'TRIES=1 CRASHES=0 UNITS=5 DUPLICATES=1',
  'two ticks': 'TRIES=1 CRASHES=0 UNITS=5 TICKS=2',
  'two ticks, marked at the start': 'TRIES=1 CRASHES=0 UNITS=5 TICKS=2 TICK_MARK_START',
  'three attempts with true clocks': 'TRIES=2 CRASHES=0 UNITS=4 ATTEMPTS=3 SKEW=0',
  'a delete': 'TRIES=1 CRASHES=0 UNITS=4 DELETES=1',
  'a delete and requests sent again, with true clocks': 'TRIES=2 CRASHES=0 UNITS=4 SKEW=0 DELETES=1',
  'a force release with wrong clocks': 'TRIES=2 CRASHES=0 UNITS=1 TICKS=2 DUPLICATES=1 FORCES=1',
  'three ticks after any past': `${ANY_PAST} TRIES=1 UNITS=1 TICKS=3`,
  'ticks that never came after any past': `${ANY_PAST} TRIES=1 UNITS=2 TICKS=2 EXPECTED_EVERY_TICK`,
  'requests sent again after any past': `${ANY_PAST} TRIES=2 UNITS=2 TICKS=2`,
  'a doubled message after any past': `${ANY_PAST} TRIES=1 UNITS=1 TICKS=2 DUPLICATES=1`,
  'a tick marked at the start after any past': `${ANY_PAST} TRIES=1 UNITS=2 TICKS=2 TICK_MARK_START`,
  'a force release after any past': `${ANY_PAST} TRIES=1 UNITS=1 TICKS=2 FORCES=1`,
  'a delete after any past': `${ANY_PAST} TRIES=1 UNITS=1 TICKS=2 DELETES=1`,
  'a listing after any past': `${ANY_PAST} TRIES=1 UNITS=2 TICKS=2 LISTINGS=1`,
  'two listings, doubled, after any past': `${ANY_PAST} ATTEMPTS=1 TRIES=2 UNITS=1 TICKS=2 LISTINGS=2 DUPLICATES=1`,
  'a mark, a crash and a takeover': `${CATCH_UP} TRIES=1 CRASHES=1 UNITS=4 TICKS=2 MARKS=1`,
  'a mark beside another run after any past': `${ANY_PAST} ${CATCH_UP} TRIES=1 UNITS=2 TICKS=2 MARKS=1`,
  'two marks, sent again and doubled, after any past': `${ANY_PAST} ${CATCH_UP} ATTEMPTS=1 TRIES=2 UNITS=3 TICKS=3 MARKS=2 DUPLICATES=1`,
  'a mark of the newest open tick alone, after any past': `${ANY_PAST} CATCH_UP_LATEST ATTEMPTS=1 TRIES=1 UNITS=2 TICKS=3 MARKS=1`,
} as const;

const OVERLAP = 1;
const TOKENS_RISE = 2;
const TICKS_DONE = 3;
const OWNER_ALONE = 4;
const ORPHANS = 8;
const GIVEN_BACK = 11;
const STAYS_OPEN = 12;
const LISTED_BELOW_DONE = 13;
const IS_KEPT = 14;
const DONE_TICK_RISES = 15;
const OLDEST_FIRST = 17;

interface Broken {
  readonly rule: string;
  readonly macro: string;
  readonly invariant: number;
  readonly within: keyof typeof BOUNDS;
}

/** Broken rules: the macro that breaks each, the invariant that then fails, and the bounds in which Spin finds it. */
function brokenRules(invariant: number, within: Broken['within'], rules: Readonly<Record<string, string>>): Broken[] {
  return Object.entries(rules).map(([macro, rule]) => ({ rule, macro, invariant, within }));
}

const BROKEN: readonly Broken[] = [
  ...brokenRules(ORPHANS, 'requests sent again', {
    BUG_NO_OWN_CHECK: 'an attempt that does not recognise its own grant, nor cancels, leaves a lock without a runner',
    BUG_NO_CANCEL: 'an ambiguous refusal without a cancel leaves a lock without a runner',
    BUG_PENDING_TRY_FORGOTTEN:
      'a refusal that comes while another try is pending leaves a lock without a runner, if that try is not cancelled',
    BUG_RELEASE_DROPS_FENCE:
      'a release that drops the fence which its run took over from lets an attempt that ran be granted again',
  }),
  ...brokenRules(OVERLAP, 'requests sent again', {
    BUG_TIMED_BY_NEXT_TRY: 'a deadline counted from the send of another try than the one that was answered overlaps',
    BUG_TAKEOVER_BY_CLIENT_CLOCK: "a takeover by the client's clock overlaps",
    BUG_NO_CAP: "a deadline without the cap by the server's clock overlaps",
    BUG_DEADLINE_FROM_RESPONSE: 'a deadline counted from the response overlaps',
  }),
  ...brokenRules(ORPHANS, 'three attempts with true clocks', {
    BUG_RELEASE_UNTIL_ZERO: 'a release with lockUntil 0 lets a late acquire leave a lock without a runner',
  }),
  ...brokenRules(GIVEN_BACK, 'more time', {
    BUG_RELEASE_BY_CLOCK: 'a lock that was given back, and is judged by a clock, is refused to the next caller',
  }),
  ...brokenRules(OVERLAP, 'more time', {
    BUG_DATE_ROUNDED_UP: 'a takeover by a Date header that is rounded up overlaps',
  }),
  ...brokenRules(OWNER_ALONE, 'an extension', {
    BUG_TAKEOVER_WITHOUT_UNTIL: 'a takeover that does not compare lockUntil replaces a lease that was extended',
    BUG_EXTEND_WITHOUT_HELD: 'an extension that does not ask for held changes a lock that was given back',
  }),
  ...brokenRules(OWNER_ALONE, 'requests sent again', {
    BUG_RELEASE_OF_ANY_GRANT: 'a release that compares neither the attempt nor the token ends the grant of a successor',
  }),
  ...brokenRules(IS_KEPT, 'a force release with wrong clocks', {
    BUG_RELEASE_WITHOUT_TOKEN:
      'a release that does not compare the token, of an attempt that is granted a second time, loses a tick',
  }),
  ...brokenRules(TOKENS_RISE, 'a crash', {
    BUG_TOKEN_NOT_RAISED: 'a grant that does not raise the token repeats one',
  }),
  ...brokenRules(TICKS_DONE, 'two ticks', {
    BUG_DONE_TICK_NOT_COMPARED: 'a grant that does not compare doneTick runs a done tick again',
    BUG_FAILURE_MARKS_TICK: 'a failed release that marks its tick skips a tick that never succeeded',
  }),
  ...brokenRules(OWNER_ALONE, 'a delete and requests sent again, with true clocks', {
    BUG_DELETE_WITHOUT_COMPARING: 'a delete that does not compare what it has read deletes a lock that is held',
  }),
  ...brokenRules(TOKENS_RISE, 'a delete and requests sent again, with true clocks', {
    BUG_DELETE_DROPS_TOKEN: 'a delete that drops the fencing token lets one be repeated',
  }),
  ...brokenRules(ORPHANS, 'a delete and requests sent again, with true clocks', {
    BUG_DELETE_DROPS_FENCE: 'a delete that drops the fence lets an attempt that ran be granted again',
  }),
  ...brokenRules(TICKS_DONE, 'three ticks after any past', {
    BUG_DONE_TICK_STAYS_LISTED: 'a success that does not take its tick off the list lets a done tick run again',
    BUG_DONE_TICK_FALLS: 'the success of a listed tick that becomes the done tick lets a done tick run again',
  }),
  ...brokenRules(STAYS_OPEN, 'three ticks after any past', {
    BUG_FAILURE_ADDS_NO_TICK: 'a failed release that does not add its tick loses it',
    BUG_TAKEOVER_ADDS_NO_TICK: 'a takeover that does not add the tick of the dead holder loses it',
    BUG_CRASHED_TICK_NOT_BROUGHT_BACK:
      'a release whose lists lack the tick that its own takeover has added loses that tick',
  }),
  ...brokenRules(STAYS_OPEN, 'a force release after any past', {
    BUG_FORCE_ADDS_NO_TICK: 'a force release that does not add the tick of the run that it ends loses it',
  }),
  ...brokenRules(STAYS_OPEN, 'requests sent again after any past', {
    BUG_REPLAY_KNOWS_NO_TICKS: 'a run that finds its own grant and reads no ticks off it loses those that are listed',
  }),
  ...brokenRules(DONE_TICK_RISES, 'a tick marked at the start after any past', {
    BUG_START_LOOKS_INTO_LIST: 'a tick that is marked at its start and looked up in the list lowers the done tick',
  }),
  ...brokenRules(LISTED_BELOW_DONE, 'a delete after any past', {
    BUG_DELETE_KEEPS_LISTS: 'a delete that keeps the lists leaves open ticks above the done one',
  }),
  ...brokenRules(STAYS_OPEN, 'two listings, doubled, after any past', {
    BUG_LISTING_WHILE_HELD:
      'a listing that does not ask whether the lock is held is overwritten by the run that holds it',
    BUG_LISTING_WITHOUT_LISTS: 'a listing that does not compare the lists loses what another operator has listed',
  }),
  ...brokenRules(TICKS_DONE, 'two listings, doubled, after any past', {
    BUG_LISTING_WITHOUT_TOKEN:
      'a late copy of a listing that does not compare the token lists a tick that is done by now',
  }),
  ...brokenRules(TICKS_DONE, 'a mark beside another run after any past', {
    BUG_DONE_FAILURES_CARRIED_OVER: 'ticks that failed and are done by now run again, if they are carried over',
  }),
  ...brokenRules(DONE_TICK_RISES, 'two marks, sent again and doubled, after any past', {
    BUG_MARK_OF_ANY_TICK: 'a mark that does not ask whether its tick is open rolls back what a later one has written',
    BUG_FAILURE_WRITES_DONE_TICK:
      'a failed release that writes doneTick lowers it where an unanswered mark has raised it',
  }),
  ...brokenRules(IS_KEPT, 'two marks, sent again and doubled, after any past', {
    BUG_MARK_WITHOUT_HELD: 'a mark that does not ask for held loses the tick that the release has added',
  }),
  ...brokenRules(TICKS_DONE, 'two marks, sent again and doubled, after any past', {
    BUG_FAILURE_WRITES_OPEN_TICKS:
      'a failed release that writes openTicks lists a tick again that an unanswered mark has taken off',
    BUG_MARKS_MADE_FROM_GRANT:
      'marks that are made from what the acquire brought back, not from the last mark, do a tick twice',
    BUG_MARK_NOT_AWAITED: 'a run that goes on after an unanswered mark does a tick twice',
  }),
  ...brokenRules(OLDEST_FIRST, 'two marks, sent again and doubled, after any past', {
    BUG_NEWEST_MARKED_FIRST: 'a run that catches up with the newest tick first leaves older ones open behind its mark',
  }),
  ...brokenRules(STAYS_OPEN, 'a mark of the newest open tick alone, after any past', {
    BUG_MARK_ADDS_NO_TICK: 'a mark that does not list the failed ticks that it passes loses them',
  }),
  ...brokenRules(OWNER_ALONE, 'a mark, a crash and a takeover', {
    BUG_TAKEOVER_WITHOUT_UNTIL: 'a takeover that does not compare lockUntil replaces a lease that a mark has extended',
  }),
];

/** Histories that docs/protocol.md admits. The model finds them too if they are not excepted. */
const ADMITTED: readonly Broken[] = [
  ...brokenRules(ORPHANS, 'three attempts with true clocks', {
    NO_REMAINDER_A: 'a bar that was overwritten lets a late acquire leave a lock without a runner',
  }),
  ...brokenRules(ORPHANS, 'a force release with wrong clocks', {
    NO_REMAINDER_B: 'a force release by a clock that is behind lets an attempt that ran be granted again',
  }),
  ...brokenRules(ORPHANS, 'a doubled message', {
    ANSWERED_DUPLICATES:
      'a message that the network doubles and delivers after its answer was read leaves a lock without a runner',
  }),
  ...brokenRules(ORPHANS, 'a delete and requests sent again, with true clocks', {
    NO_REMAINDER_D: 'a late acquire of a done tick, which a delete has forgotten, leaves a lock without a runner',
  }),
  ...brokenRules(ORPHANS, 'two listings, doubled, after any past', {
    NO_REMAINDER_D: 'a late acquire of a stale tick, which an operator has listed, leaves a lock without a runner',
  }),
];

let folder: string;
beforeAll(async () => {
  await providePrograms('spin', 'gcc');
  folder = await mkdtemp(join(tmpdir(), 'lock-model-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Searches every history of the model within the bounds. Compiling with optimisation takes longer than it saves. */
async function search(bounds: string): Promise<'sound' | 'violated'> {
  const cwd = await mkdtemp(join(folder, 'search-'));
  await copyFile(MODEL, join(cwd, 'lock.pml'));
  await run('spin', ['-a', ...bounds.split(' ').map((macro) => `-D${macro}`), 'lock.pml'], { cwd });
  await run('gcc', ['-O0', '-w', '-DSAFETY', '-DNOREDUCE', '-DVECTORSZ=2048', '-o', 'pan', 'pan.c'], { cwd });
  // -E: the end of the model's time ends a history, whatever its processes are doing.
  const { stdout } = await run(join(cwd, 'pan'), ['-E', '-m100000', '-w22'], { cwd, timeout: SEARCH_MS });
  await rm(cwd, { recursive: true });
  if (/assertion violated/.test(stdout)) return 'violated';
  // A search that was cut short proves nothing.
  expect(stdout).toMatch(/errors: 0\n/);
  expect(stdout).not.toMatch(/search depth too small|out of memory|Search not completed/);
  return 'sound';
}

describe.concurrent('the protocol keeps every invariant', { timeout: 2 * SEARCH_MS }, () => {
  test.each(Object.entries(BOUNDS))('with %s', async (_, bounds) => {
    expect(await search(bounds)).toBe('sound');
  });
});

describe.concurrent.each([
  ['a broken rule is found', BROKEN],
  ['what can remain is found where it is not excepted', ADMITTED],
])('%s', { timeout: 2 * SEARCH_MS }, (_, rules) => {
  test.each(rules)('$rule', async ({ macro, invariant, within }) => {
    expect(await search(`${BOUNDS[within]} ${macro} ONLY=${invariant}`)).toBe('violated');
  });
});

describe.concurrent('a second guard', { timeout: 2 * SEARCH_MS }, () => {
  test.each<[string, keyof typeof BOUNDS, string]>([
    [
      'a takeover that does not compare lockUntil does not overlap: the deadline alone prevents it',
      'an extension',
      `BUG_TAKEOVER_WITHOUT_UNTIL ONLY=${OVERLAP}`,
    ],
    [
      'a mark that does not move lockUntil is safe too: what a takeover writes holds after it',
      'a mark, a crash and a takeover',
      'BUG_MARK_MOVES_NO_LOCK_UNTIL',
    ],
    [
      'a listing that does not compare doneTick is safe too: what changes it raises the token, or deletes',
      'two listings, doubled, after any past',
      'BUG_LISTING_WITHOUT_DONE_TICK',
    ],
    [
      'a condition that does not ask whether a newer tick is done is safe too: only ticks below the done one are listed',
      'requests sent again after any past',
      'BUG_LISTED_WITHOUT_DONE',
    ],
  ])('%s', async (_, within, macros) => {
    expect(await search(`${BOUNDS[within]} ${macros}`)).toBe('sound');
  });
});
