import { grouped, neighbours } from '../test/support/play/grouped.js';
import type { Invariant } from '../test/support/play/verdict.js';
import type { Ending, History, Invocation, Work } from './history.js';

export const INVARIANTS: readonly Invariant<History>[] = [
  {
    promise: 'never two at work at once under one name',
    check({ works }) {
      const breaches = successions(works)
        .filter(([one, next]) => next.fromMs < one.toMs)
        .map(([one, next]) => `${one.job}: #${next.invocation} began while #${one.invocation} was at work`);
      return { cases: works.length, breaches };
    },
  },
  {
    promise: 'each tick done at most once',
    check({ invocations, works }) {
      const done = doneTicks(works);
      const ran = invocations.filter(({ ending }) => ending.kind === 'ran').flatMap(tickOf);
      const breaches = [
        ...repeated(done).map((tick) => `${tick} was done twice`),
        ...repeated(ran).map((tick) => `${tick} ran twice`),
      ];
      return { cases: new Set(done).size, breaches };
    },
  },
  {
    promise: "with tickMark 'start', each tick begun at most once",
    check({ invocations, works }) {
      const atWork = new Set(works.map(({ invocation }) => invocation));
      const begun = invocations.filter(({ id, tickMark }) => tickMark === 'start' && atWork.has(id)).flatMap(tickOf);
      return { cases: begun.length, breaches: repeated(begun).map((tick) => `${tick} was begun twice`) };
    },
  },
  {
    promise: 'every tick done, or reported as missed, failed, paused or stale',
    check({ invocations, works, incidents }) {
      const done = new Set(doneTicks(works));
      const ticks = grouped(invocations, (one) => tickOf(one).join());
      ticks.delete('');
      const lost = [...ticks].filter(([tick, tries]) => !done.has(tick) && !isReported(tries));
      const leftOut = incidents.flatMap((one) => (one.kind === 'left-out' ? tickOf(one) : []));
      const breaches = [
        ...lost.map(([tick, tries]) => `${tick} was lost: ${tries.map(({ ending }) => ending.kind).join(', ')}`),
        ...leftOut.filter((tick) => !done.has(tick)).map((tick) => `${tick} was left out, and not made up for`),
      ];
      return { cases: ticks.size, breaches };
    },
  },
  {
    promise: 'a run does its work, a skip does none',
    check({ invocations, works }) {
      const breaches = invocations.flatMap(({ id, job, tickMs, ending }) => {
        const work = works.find(({ invocation }) => invocation === id);
        if (ending.kind === 'skipped' && work) return [`${job}: #${id} was skipped, and yet was at work`];
        if (ending.kind !== 'ran' || tickMs === undefined || work?.doneTicksMs.includes(tickMs)) return [];
        return [`${job}: #${id} ran, and its work was not done`];
      });
      return { cases: invocations.length, breaches };
    },
  },
  {
    promise: 'fencing tokens rise strictly from grant to grant',
    check({ works }) {
      const withToken = works.filter(({ token }) => token !== undefined);
      const breaches = successions(withToken)
        .filter(([{ token: one = 0 }, { token: next = 0 }]) => next <= one)
        .map(([one, next]) => `${one.job}: token ${next.token} came after ${one.token}`);
      return { cases: withToken.length, breaches };
    },
  },
  {
    promise: 'no older tick done after a newer one',
    check({ works }) {
      const done = works.filter(({ doneTicksMs }) => doneTicksMs.length > 0);
      const newest = ({ doneTicksMs }: Work) => Math.max(...doneTicksMs);
      const breaches = successions(done)
        .filter(([one, next]) => newest(next) < newest(one))
        .map(([one, next]) => `${one.job}: #${next.invocation} did an older tick than #${one.invocation} before it`);
      return { cases: done.length, breaches };
    },
  },
  {
    promise: "none skipped as 'locked' but for a holder that is there",
    check({ invocations, works }) {
      const atWork = new Set(works.map(({ invocation }) => invocation));
      const locked = invocations.filter(({ ending }) => ending.kind === 'skipped' && ending.reason === 'locked');
      const breaches = locked
        .filter((skip) => !invocations.some((other) => isHolderFor(other, atWork.has(other.id), skip)))
        .map(({ job, id }) => `${job}: #${id} was skipped as locked, and nobody held the lock`);
      return { cases: locked.length, breaches };
    },
  },
  {
    promise: 'a crash is recorded, and told to the next run',
    check({ crashes }) {
      const breaches = crashes.flatMap(({ job, token, recorded, told }) => [
        ...(recorded ? [] : [`${job}: the crash of token ${token} is not in the record`]),
        ...(told ? [] : [`${job}: the run after the crash of token ${token} was not told`]),
      ]);
      return { cases: crashes.length, breaches };
    },
  },
  {
    promise: 'a lost answer locks nobody out: its run still ran',
    check({ incidents, invocations }) {
      const lost = incidents.flatMap((one) => (one.kind === 'answer-lost' ? [one.invocation] : []));
      const breaches = invocations
        .filter(({ id, ending }) => lost.includes(id) && ending.kind !== 'ran')
        .map(({ id, job, ending }) => `${job}: #${id} ended as ${ending.kind}`);
      return { cases: lost.length, breaches };
    },
  },
  {
    promise: 'what was to be written is there, and right',
    check({ facts }) {
      const wrong = facts.filter(({ expected, found }) => found !== expected);
      const breaches = wrong.map(({ subject, expected, found }) => `${subject}: '${found}' instead of '${expected}'`);
      return { cases: facts.length, breaches };
    },
  },
  {
    promise: 'nothing runs while paused',
    check({ incidents, works }) {
      const pauses = incidents.filter((one) => one.kind === 'paused');
      const breaches = works
        .filter((work) => pauses.some((p) => p.job === work.job && p.fromMs < work.fromMs && work.fromMs < p.toMs))
        .map(({ job, invocation }) => `${job}: #${invocation} began while the job was paused`);
      return { cases: pauses.length, breaches };
    },
  },
];

/** The situations that an evening is to show: a check that has looked at nothing has shown nothing. */
export function everySituation(wanted: readonly string[]): Invariant<History> {
  return {
    promise: 'every situation was played',
    check({ situations }) {
      const missing = wanted.filter((name) => !situations.includes(name));
      return { cases: wanted.length, breaches: missing.map((name) => `'${name}' was not played`) };
    },
  };
}

/** Whether a tick that was not done is accounted for. With at most once, a run that failed or died is not repeated. */
function isReported(tries: readonly Invocation[]): boolean {
  const reported = ['locked', 'lock-at-least-for', 'stale-tick', 'paused'];
  const isSkip = (ending: Ending | undefined) => ending?.kind === 'skipped' && reported.includes(ending.reason);
  const endings = tries.map(({ ending }) => ending);
  if (tries[0]?.tickMark === 'success') return isSkip(endings.at(-1));
  return endings.some((ending) => ending.kind === 'failed' || ending.kind === 'killed' || isSkip(ending));
}

/** Whether one invocation held the lock at some instant of a skip that names it. */
function isHolderFor(other: Invocation, wasAtWork: boolean, skip: Invocation): boolean {
  if (skip.ending.kind !== 'skipped' || other.ending.kind === 'skipped') return false;
  const isNamed = other.job === skip.job && skip.ending.lockedBy?.split(' ').at(-1) === other.requestId;
  // One that failed before it was at work had no answer to its acquire, which may have been granted.
  const isLeft = other.ending.kind === 'killed' || (other.ending.kind === 'failed' && !wasAtWork);
  const heldUntil = isLeft ? other.lockOverMs : other.toMs;
  return isNamed && other.fromMs <= skip.toMs && skip.fromMs <= heldUntil;
}

/** Each piece of work with the one that follows it under the same name. */
function successions(works: readonly Work[]): [Work, Work][] {
  const byTime = works.toSorted((a, b) => a.fromMs - b.fromMs);
  return [...grouped(byTime, ({ job }) => job).values()].flatMap((ofJob) => neighbours(ofJob));
}

/** The name of a tick; none where there is no tick. */
function tickOf({ job, tickMs }: { readonly job: string; readonly tickMs?: number }): string[] {
  return tickMs === undefined ? [] : [`${job} ${new Date(tickMs).toISOString()}`];
}

function doneTicks(works: readonly Work[]): string[] {
  return works.flatMap(({ job, doneTicksMs }) => doneTicksMs.flatMap((tickMs) => tickOf({ job, tickMs })));
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))];
}
