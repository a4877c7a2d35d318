import { missedCount, missedTicksOf, openCount } from '../../../operate/lock-summary.js';
import { shortInstant, shortSpan } from '../../../operate/times.js';
import { type Job, longestMs, overrunNow, type Trouble } from '../../../operate/troubles.js';
import { holderWords, pauseWords, shellWord } from '../../../operate/verdict.js';

type Words = (job: Job, nowMs: number) => string;

const since = (at: Date | undefined, nowMs: number): string =>
  at ? shortSpan(nowMs - at.getTime()) : 'an unknown time';
const command = (verb: string, { name }: Job): string => `single-execution ${verb} ${shellWord(name)}`;

/** Each trouble in a few words, for a tag. */
export const TROUBLE_TAGS: Readonly<Record<Trouble, Words>> = {
  corrupt: () => 'corrupt record',
  overdue: ({ overdueTick }, nowMs) => (overdueTick ? `overdue ${since(overdueTick, nowMs)}` : 'unreadable schedule'),
  expired: ({ lockUntil }, nowMs) => `lease over for ${since(lockUntil, nowMs)}`,
  'too-long': (job, nowMs) =>
    overrunNow(job)
      ? `past its next tick for ${since(overrunNow(job), nowMs)}`
      : `held ${since(job.lockedAt, nowMs)}, before at most ${shortSpan(longestMs(job) ?? 0)}`,
  failing: ({ failuresInARow }) => (failuresInARow > 1 ? `${failuresInARow} failures in a row` : 'last run failed'),
  'long-pause': ({ pausedTick }, nowMs) => `skips ticks for ${since(pausedTick, nowMs)}`,
  open: (job) => {
    const { openTicks = [] } = job;
    const missed = { openTicks, missedTicks: missedTicksOf(job) };
    const ticks = openTicks.length === 1 ? '1 tick not done' : `${openCount(job)} ticks not done`;
    return missed.missedTicks.length === 0 ? ticks : `${ticks}, ${missedCount(missed)} without a run`;
  },
};

/** Each trouble with what to do about it. */
export const TROUBLE_ADVICE: Readonly<Record<Trouble, Words>> = {
  corrupt: ({ problem = '' }) => problem,
  overdue: (job, nowMs) => {
    const { overdueTick, scheduleProblem, lockedAt } = job;
    if (!overdueTick) return scheduleProblem ?? '';
    const late = `Neither the tick ${shortInstant(overdueTick)} nor a newer one is done.`;
    const last = lockedAt ? `The last run began ${since(lockedAt, nowMs)} ago.` : 'No run has begun yet.';
    return `${late} ${last} If none has begun since its last tick, no call comes: check that its scheduler is on, and that its deployment starts.`;
  },
  expired: (job, nowMs) =>
    `${holderWords(job, nowMs)}, and its lease has been over for ${since(job.lockUntil, nowMs)}: its process has died, or its handler ignores its signal. Look for the end of that run in its log. The next call takes the lock over; none has come since.`,
  'too-long': (job, nowMs) => {
    const tick = overrunNow(job);
    const longest = longestMs(job);
    const why = tick
      ? `The call for the tick ${shortInstant(tick)} came meanwhile, and was skipped as locked, or waits.`
      : `The longest of its last runs took ${shortSpan(longest ?? 0)}.`;
    return `${holderWords(job, nowMs)}. ${why} If that process hangs, end it; then free the lock: ${command('unlock', job)}`;
  },
  failing: (job) => {
    const { failuresInARow, lastError, lockedBy, runs } = job;
    const error = runs[0]?.status === 'failed' && lastError ? `, the last one with ${lastError}` : '';
    const which =
      failuresInARow > 1 ? `The last ${failuresInARow} runs did not succeed` : 'The last run did not succeed';
    return `${which}${error}. Read the log of ${lockedBy ?? 'its last holder'}. Runs go on at each call.`;
  },
  'long-pause': (job) =>
    `The job is ${job.paused ? pauseWords(job.paused) : 'paused'}. The tick ${shortInstant(job.pausedTick ?? new Date(0))}, and those after it, have no run. End the pause: ${command('resume', job)}`,
  open: (job) =>
    `Open: ${(job.openTicks ?? []).map(shortInstant).join(', ')}. A call for one of them runs, and catchUp calls for them by itself. List them: ${command('open', job)}`,
};
