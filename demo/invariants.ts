import { grouped, neighbours } from '../test/support/play/grouped.js';
import type { Invariants } from '../test/support/play/verdict.js';
import type { History, Invocation, Work } from './history.js';
import { doubleRuns, type Lane } from './lanes.js';

/** Names of all that keeps a tick from being done, and is told to whoever runs the fleet. */
const REPORTED: readonly string[] = ['locked', 'lock-at-least-for', 'stale-tick', 'paused'].map(
  (reason) => `skipped ${reason}`,
);

export const INVARIANTS: Invariants<History> = {
  'never two at work at once under one name'({ invocations }) {
    const works = worksOf(invocations);
    const overlaps = successions(works).filter(([one, next]) => next.work.fromMs < one.work.toMs);
    const breaches = overlaps.map(([one, next]) => `${one.job}: #${next.id} began while #${one.id} was at work`);
    return { cases: works.length, breaches };
  },

  'each tick done at most once'({ invocations }) {
    const done = doneTicks(invocations);
    const ran = invocations.filter(({ ending }) => ending === 'ran').flatMap(tickOf);
    const breaches = [
      ...repeated(done).map((tick) => `${tick} was done twice`),
      ...repeated(ran).map((tick) => `${tick} ran twice`),
    ];
    return { cases: new Set(done).size, breaches };
  },

  "with tickMark 'start', each tick begun at most once"({ invocations }) {
    const begun = worksOf(invocations)
      .filter(({ tickMark }) => tickMark === 'start')
      .flatMap(tickOf);
    return { cases: begun.length, breaches: repeated(begun).map((tick) => `${tick} was begun twice`) };
  },

  'every tick done, or reported as missed, failed, paused or stale'({ invocations, leftOut }) {
    const done = new Set(doneTicks(invocations));
    const ticks = grouped(invocations, (one) => tickOf(one).join());
    ticks.delete('');
    const lost = [...ticks].filter(([tick, tries]) => !done.has(tick) && !isReported(tries));
    const breaches = [
      ...lost.map(([tick, tries]) => `${tick} was lost: ${tries.map(({ ending }) => ending).join(', ')}`),
      ...leftOut
        .flatMap(tickOf)
        .filter((tick) => !done.has(tick))
        .map((tick) => `${tick} was left out, and not made up for`),
    ];
    return { cases: ticks.size, breaches };
  },

  'a run does its work, a skip does none'({ invocations }) {
    const breaches = invocations.flatMap(({ id, job, tickMs, ending, work }) => {
      if (ending.startsWith('skipped') && work) return [`${job}: #${id} was skipped, and yet was at work`];
      if (ending !== 'ran' || tickMs === undefined || work?.doneTicksMs.includes(tickMs)) return [];
      return [`${job}: #${id} ran, and its work was not done`];
    });
    return { cases: invocations.length, breaches };
  },

  'fencing tokens rise strictly from grant to grant'({ invocations }) {
    const tokens = worksOf(invocations).flatMap((one) => (one.work.token ? [{ ...one, token: one.work.token }] : []));
    const breaches = successions(tokens)
      .filter(([one, next]) => next.token <= one.token)
      .map(([one, next]) => `${one.job}: token ${next.token} came after ${one.token}`);
    return { cases: tokens.length, breaches };
  },

  'no older tick done after a newer one, unless it was begun before'({ invocations }) {
    const done = worksOf(invocations).filter(({ work }) => work.doneTicksMs.length > 0);
    const newest = ({ work }: AtWork) => Math.max(...work.doneTicksMs);
    const breaches = successions(done)
      .filter(([one, next]) => newest(next) < newest(one) && !wasBegun(next, invocations))
      .map(([one, next]) => `${one.job}: #${next.id} did an older tick than #${one.id} before it`);
    return { cases: done.length, breaches };
  },

  "none skipped as 'locked' but for a holder that is there"({ invocations }) {
    const locked = invocations.filter(({ ending }) => ending === 'skipped locked');
    const breaches = locked
      .filter((skip) => !invocations.some((other) => isHolderFor(other, skip)))
      .map(({ job, id }) => `${job}: #${id} was skipped as locked, and nobody held the lock`);
    return { cases: locked.length, breaches };
  },

  'a crash is recorded, and told to the next run'({ crashes }) {
    const breaches = crashes.flatMap(({ job, token, recorded, told }) => [
      ...(recorded ? [] : [`${job}: the crash of token ${token} is not in the record`]),
      ...(told ? [] : [`${job}: the run after the crash of token ${token} was not told`]),
    ]);
    return { cases: crashes.length, breaches };
  },

  'a lost answer locks nobody out: its run still ran'({ lostAnswers, invocations }) {
    const breaches = invocations
      .filter(({ id, ending }) => lostAnswers.includes(id) && ending !== 'ran')
      .map(({ id, job, ending }) => `${job}: #${id} ended as ${ending}`);
    return { cases: lostAnswers.length, breaches };
  },

  'what was to be written is there, and right'({ facts }) {
    const wrong = facts.filter(({ expected, found }) => found !== expected);
    const breaches = wrong.map(({ subject, expected, found }) => `${subject}: '${found}' instead of '${expected}'`);
    return { cases: facts.length, breaches };
  },

  'nothing runs while paused'({ pauses, invocations }) {
    const breaches = worksOf(invocations)
      .filter(({ job, work: { fromMs } }) => pauses.some((p) => p.job === job && p.fromMs < fromMs && fromMs < p.toMs))
      .map(({ job, id }) => `${job}: #${id} began while the job was paused`);
    return { cases: pauses.length, breaches };
  },
};

/** The situations that an evening is to show: a check that has looked at nothing has shown nothing. */
export const everySituation = (wanted: readonly string[]): Invariants<History> => ({
  'every situation was played'({ situations }) {
    const missing = wanted.filter((name) => !situations.includes(name));
    return { cases: wanted.length, breaches: missing.map((name) => `'${name}' was not played`) };
  },
});

/** The race before the evening: what its lane with the wrapper shows. */
export const noDoubleRun = (lane: Lane): Invariants<History> => ({
  'no run of the race twice, or beside another, with the wrapper'() {
    const breaches = Object.values(doubleRuns(lane)).flatMap((runs) =>
      runs.map(({ tick, host }) => `tick ${tick} on host ${host + 1}`),
    );
    return { cases: lane.runs.length, breaches };
  },
});

/** Whether a tick that was not done is accounted for. With at most once, a run that failed or died is not repeated. */
function isReported(tries: readonly Invocation[]): boolean {
  const endings = tries.map(({ ending }) => ending);
  if (tries[0]?.tickMark === 'success') return endings.slice(-1).some((ending) => REPORTED.includes(ending));
  return endings.some((ending) => ['failed', 'killed', ...REPORTED].includes(ending));
}

/** Whether an earlier invocation of the same tick has failed or died, so that its tick was open. */
function wasBegun({ job, tickMs, fromMs }: Invocation, invocations: readonly Invocation[]): boolean {
  const before = invocations.filter((one) => one.job === job && one.tickMs === tickMs && one.fromMs < fromMs);
  return before.some(({ ending }) => ending === 'failed' || ending === 'killed');
}

/** Whether one invocation held the lock at some instant of a skip that names it. */
function isHolderFor(other: Invocation, skip: Invocation): boolean {
  const isNamed = other.job === skip.job && skip.lockedBy?.split(' ').at(-1) === other.requestId;
  // One that failed before it was at work had no answer to its acquire, which may have been granted.
  const isLeft = other.ending === 'killed' || (other.ending === 'failed' && !other.work);
  const heldUntil = isLeft ? other.lockOverMs : other.toMs;
  return isNamed && !other.ending.startsWith('skipped') && other.fromMs <= skip.toMs && skip.fromMs <= heldUntil;
}

type AtWork = Invocation & { readonly work: Work };

/** Invocations whose handler was at work, in the order in which they began. */
export function worksOf(invocations: readonly Invocation[]): AtWork[] {
  return invocations.filter((one): one is AtWork => !!one.work).sort((a, b) => a.work.fromMs - b.work.fromMs);
}

/** Each with the one that follows it under the same name. */
function successions<T extends AtWork>(works: readonly T[]): [T, T][] {
  return [...grouped(works, ({ job }) => job).values()].flatMap(neighbours);
}

/** The name of a tick; none where there is no tick. */
function tickOf({ job, tickMs }: { readonly job: string; readonly tickMs?: number }): string[] {
  return tickMs === undefined ? [] : [`${job} ${new Date(tickMs).toISOString()}`];
}

function doneTicks(invocations: readonly Invocation[]): string[] {
  return invocations.flatMap(({ job, work }) => (work?.doneTicksMs ?? []).flatMap((tickMs) => tickOf({ job, tickMs })));
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))];
}
