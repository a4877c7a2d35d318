import { grouped } from '../test/support/play/grouped.js';
import type { Invariant } from '../test/support/play/verdict.js';
import type { Ending, History, Invocation, Work } from './history.js';

export const INVARIANTS: readonly Invariant<History>[] = [
  {
    promise: 'never two at work at once under one name',
    check({ works }) {
      const breaches = neighbours(works).flatMap(([one, next]) =>
        next.fromMs < one.toMs ? [`${one.job}: #${next.invocation} began while #${one.invocation} was at work`] : [],
      );
      return { cases: works.length, breaches };
    },
  },
  {
    promise: 'each tick done at most once',
    check({ invocations, works }) {
      const done = works.flatMap(({ job, doneTicksMs }) => doneTicksMs.map((tickMs) => tickName(job, tickMs)));
      const ran = ofTicks(invocations).filter(([, { ending }]) => ending.kind === 'ran');
      const breaches = [
        ...repeated(done).map((tick) => `${tick} was done twice`),
        ...repeated(ran.map(([tick]) => tick)).map((tick) => `${tick} ran twice`),
      ];
      return { cases: new Set(done).size, breaches };
    },
  },
  {
    promise: "with tickMark 'start', each tick begun at most once",
    check({ invocations, works, atMostOnce }) {
      const begun = ofTicks(invocations).filter(
        ([, { id, job }]) => atMostOnce.includes(job) && works.some(({ invocation }) => invocation === id),
      );
      const breaches = repeated(begun.map(([tick]) => tick)).map((tick) => `${tick} was begun twice`);
      return { cases: begun.length, breaches };
    },
  },
  {
    promise: 'every tick done, or reported as missed, failed, paused or stale',
    check({ invocations, works, incidents, atMostOnce }) {
      const done = new Set(works.flatMap(({ job, doneTicksMs }) => doneTicksMs.map((tickMs) => tickName(job, tickMs))));
      const ticks = grouped(ofTicks(invocations), ([tick]) => tick);
      const breaches = [...ticks].flatMap(([tick, tries]) => {
        const endings = tries.map(([, { ending }]) => ending);
        const [first] = tries[0] ?? [];
        const job = tries[0]?.[1].job ?? '';
        const isExcused = atMostOnce.includes(job) ? endings.some(isReported) : isReportedSkip(endings.at(-1));
        return first === undefined || done.has(tick) || isExcused
          ? []
          : [`${tick} was lost: ${endings.map(({ kind }) => kind).join(', ')}`];
      });
      const notMadeUp = incidents.flatMap((incident) => {
        if (incident.kind !== 'left-out' || done.has(tickName(incident.job, incident.tickMs))) return [];
        return [`${tickName(incident.job, incident.tickMs)} was left out, and not made up for`];
      });
      return { cases: ticks.size, breaches: [...breaches, ...notMadeUp] };
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
      const breaches = neighbours(withToken).flatMap(([one, next]) =>
        (next.token ?? 0) > (one.token ?? 0) ? [] : [`${one.job}: token ${next.token} came after ${one.token}`],
      );
      return { cases: withToken.length, breaches };
    },
  },
  {
    promise: 'no older tick done after a newer one',
    check({ works }) {
      const done = works.filter(({ doneTicksMs }) => doneTicksMs.length > 0);
      const newest = ({ doneTicksMs }: Work) => Math.max(...doneTicksMs);
      const breaches = neighbours(done).flatMap(([one, next]) =>
        newest(next) < newest(one)
          ? [`${tickName(next.job, newest(next))} was done after ${tickName(one.job, newest(one))}`]
          : [],
      );
      return { cases: done.length, breaches };
    },
  },
  {
    promise: "none skipped as 'locked' but for a holder that is there",
    check({ invocations }) {
      const locked = invocations.filter(({ ending }) => ending.kind === 'skipped' && ending.reason === 'locked');
      const breaches = locked
        .filter((skip) => !invocations.some((other) => isHolderFor(other, skip)))
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
      const lost = incidents.filter(({ kind }) => kind === 'answer-lost');
      const breaches = lost.flatMap((incident) => {
        const hit = invocations.find(({ id }) => 'invocation' in incident && id === incident.invocation);
        return hit?.ending.kind === 'ran' ? [] : [`${incident.job}: #${hit?.id} ended as ${hit?.ending.kind}`];
      });
      return { cases: lost.length, breaches };
    },
  },
  {
    promise: 'what was to be written is there, and right',
    check: ({ facts }) => ({
      cases: facts.length,
      breaches: facts.flatMap(({ subject, expected, found }) =>
        found === expected ? [] : [`${subject}: ${found} instead of ${expected}`],
      ),
    }),
  },
  {
    promise: 'nothing runs while paused',
    check({ incidents, works }) {
      const pauses = incidents.filter(({ kind }) => kind === 'paused');
      const breaches = pauses.flatMap((pause) => {
        const end = incidents.find(
          ({ kind, job, atMs }) => kind === 'resumed' && job === pause.job && atMs > pause.atMs,
        );
        return works
          .filter(({ job, fromMs }) => job === pause.job && fromMs > pause.atMs && fromMs < (end?.atMs ?? Infinity))
          .map(({ job, invocation }) => `${job}: #${invocation} began while the job was paused`);
      });
      return { cases: pauses.length, breaches };
    },
  },
];

function isReportedSkip(ending: Ending | undefined): boolean {
  const reported = ['locked', 'lock-at-least-for', 'stale-tick', 'paused'];
  return ending?.kind === 'skipped' && reported.includes(ending.reason);
}

/** With at most once, a run that failed or died is not repeated: that is the bargain. */
function isReported(ending: Ending): boolean {
  return ending.kind === 'failed' || ending.kind === 'killed' || isReportedSkip(ending);
}

/** The situations that an evening is to show: a check that has looked at nothing has shown nothing. */
export function everySituation(wanted: readonly string[]): Invariant<History> {
  return {
    promise: 'every situation was played',
    check: ({ beats }) => ({
      cases: wanted.length,
      breaches: wanted.filter((beat) => !beats.includes(beat)).map((beat) => `'${beat}' was not played`),
    }),
  };
}

/** Whether one invocation held the lock at some instant of a skip that names it. */
function isHolderFor(other: Invocation, skip: Invocation): boolean {
  if (skip.ending.kind !== 'skipped' || other.job !== skip.job || other.id === skip.id) return false;
  if (other.ending.kind === 'skipped' || !skip.ending.lockedBy?.includes(other.requestId)) return false;
  const heldUntil = other.ending.kind === 'killed' ? other.lockOverMs : other.toMs;
  return other.fromMs <= skip.toMs && skip.fromMs <= heldUntil;
}

/** Each piece of work with the one that follows it under the same name. */
function neighbours(works: readonly Work[]): [Work, Work][] {
  return [...grouped(works, ({ job }) => job).values()].flatMap((ofJob) => {
    const sorted = ofJob.toSorted((a, b) => a.fromMs - b.fromMs);
    return sorted.slice(1).map((next, i): [Work, Work] => [sorted[i] as Work, next]);
  });
}

/** Invocations that have a tick, by its name. */
function ofTicks(invocations: readonly Invocation[]): [string, Invocation][] {
  return invocations.flatMap((one): [string, Invocation][] =>
    one.tickMs === undefined ? [] : [[tickName(one.job, one.tickMs), one]],
  );
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))];
}

function tickName(job: string, tickMs: number): string {
  return `${job} ${new Date(tickMs).toISOString()}`;
}
