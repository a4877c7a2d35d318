import type { Paint } from '../test/support/play/terminal.js';
import type { Ending, Invocation, Work } from './history.js';

/** What is shown of an invocation beside its record. */
export interface Shown {
  readonly work: Work | undefined;
  readonly told: string;
  readonly as: string | undefined;
}

/** Shows the evening as it goes by, one line for each thing that happens. */
export interface Timeline {
  head(): void;
  invocation(invocation: Invocation, shown: Shown): void;
  /** Something that was done to a job from outside. */
  act(atMs: number, job: string, who: string, what: string): void;
}

const COLUMNS = { time: 6, job: 20, tick: 11, who: 8, what: 26 };

/** @param workerOf whom `lockedBy` means */
export function timeline(
  say: (line: string) => void,
  paint: Paint,
  workerOf: (lockedBy: string) => string | undefined,
): Timeline {
  const line = (time: string, job: string, tick: string, who: string, what: string) => {
    const { time: t, job: j, tick: k, who: w } = COLUMNS;
    say([time.padStart(t), job.padEnd(j), tick.padEnd(k), who.padEnd(w), what].join('  ').trimEnd());
  };

  const headline = (ending: Ending): string => {
    switch (ending.kind) {
      case 'ran':
        return 'ran';
      case 'failed':
        return 'failed';
      case 'killed':
        return `killed by ${ending.by}`;
      case 'skipped':
        return `skipped ${ending.reason}`;
    }
  };

  const details = ({ ending, recovered, fromMs, toMs }: Invocation, { work, told, as }: Shown): string => {
    const { lockedBy = '' } = ending.kind === 'skipped' && ending.reason === 'locked' ? ending : {};
    return [
      as,
      work?.token !== undefined && `token ${work.token}`,
      told,
      ending.kind === 'failed' && ending.error,
      recovered && 'takes over from a crash',
      lockedBy !== '' && `held by ${workerOf(lockedBy) ?? lockedBy}`,
      ending.kind !== 'skipped' && `${Math.round(toMs - fromMs)} ms`,
    ]
      .filter((part) => typeof part === 'string' && part !== '')
      .join(', ');
  };

  const colourOf = { ran: paint.good, failed: paint.bad, killed: paint.bad, skipped: paint.dim };

  return {
    head: () => line('time', 'job', 'tick', 'worker', 'what happened'),
    invocation(invocation, shown) {
      const { job, tickMs, worker, toMs, ending } = invocation;
      const what = colourOf[ending.kind](headline(ending).padEnd(COLUMNS.what));
      line(
        seconds(toMs),
        job,
        tickMs === undefined ? '(by hand)' : clockOf(tickMs),
        worker,
        what + details(invocation, shown),
      );
    },
    act: (atMs, job, who, what) => line(seconds(atMs), job, '', who, paint.odd(what)),
  };
}

/** A tick as a calendar and a clock on the wall show it. */
function clockOf(tickMs: number): string {
  return new Date(tickMs).toISOString().slice(5, 16).replace('T', ' ');
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)}s`;
}
