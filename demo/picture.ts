import { grouped } from '../test/support/play/grouped.js';
import { columns, type Paint } from '../test/support/play/terminal.js';
import type { History, Invocation } from './history.js';
import type { Job } from './jobs.js';

/** As many lines of the time line as are kept under the live table. */
const SHOWN = 8;
const SIGNS_SHOWN = 30;
const AT_MOST_ONCE = ' (at most once)';

/** Tells what happens, while it happens. */
export interface Picture {
  situation(job: Job, name: string): void;
  invocation(invocation: Invocation): void;
}

/** A table that is drawn anew in a terminal; elsewhere a line for each thing that happens. */
export function pictureOf(jobs: readonly Job[], paint: Paint, isTerminal: boolean): Picture {
  const seen: Invocation[] = [];
  const lines: string[] = [];
  const playing = new Map<Job, string>();
  let drawnLines = 0;
  const startMs = performance.now();
  const tell = (line: string) => {
    lines.push(line);
    if (!isTerminal) return void process.stdout.write(`${line}\n`);
    const width = process.stdout.columns ?? 80;
    const rows = [...jobs.map((job) => rowOf(job, seen, playing.get(job), paint)), '', legend(paint), ''];
    // A line that the terminal breaks in two is not counted as two.
    const last = lines.slice(-SHOWN).map((text) => paint.dim(text.slice(0, width - 1)));
    const up = drawnLines > 0 ? `\u001B[${drawnLines}A\u001B[J` : '';
    process.stdout.write(`${up}${[...rows, ...last].join('\n')}\n`);
    drawnLines = rows.length + last.length;
  };
  return {
    situation(job, name) {
      playing.set(job, name);
      tell(`${seconds(performance.now() - startMs)}  ${nameOf(job).padEnd(31)}  ${name}:`);
    },
    invocation(invocation) {
      seen.push(invocation);
      tell(timelineRow(invocation, startMs));
    },
  };
}

const nameOf = ({ name, tickMark }: Pick<Job, 'name' | 'tickMark'>): string =>
  tickMark === 'start' ? name + AT_MOST_ONCE : name;

function rowOf(job: Job, seen: readonly Invocation[], playing: string | undefined, paint: Paint): string {
  const mine = seen.filter((one) => one.job === job.name);
  const signs = mine.slice(-SIGNS_SHOWN).map((one) => signOf(one, paint));
  return `  ${nameOf(job).padEnd(32)} ${(playing ?? '').padEnd(16)} ${signs.join(' ')}`.trimEnd();
}

function signOf({ ending, retryOf }: Invocation, paint: Paint): string {
  if (ending === 'ran') return paint.good(retryOf === undefined ? '✓' : '↻');
  if (ending === 'failed') return paint.bad('✗');
  return ending === 'killed' ? paint.bad('†') : paint.dim('·');
}

const legend = (paint: Paint): string =>
  `  ${paint.good('✓')} ran  ${paint.good('↻')} a retry ran  ${paint.dim('·')} skipped  ${paint.bad('✗')} failed  ${paint.bad('†')} killed`;

/** One line of the evening as it goes by. */
function timelineRow(invocation: Invocation, startMs: number): string {
  const { id, tickMs, retryOf, fromMs, toMs, ending, error, lockedBy, isToldOfCrash, work } = invocation;
  const tick = tickMs === undefined ? 'by hand' : new Date(tickMs).toISOString().slice(5, 16).replace('T', ' ');
  const details = [
    retryOf && `retry of #${retryOf}`,
    isToldOfCrash && 'told of a crash',
    error,
    ending === 'skipped locked' && `held by ${lockedBy?.split(' ').at(-1)}`,
    work?.token && `token ${work.token}`,
    !ending.startsWith('skipped') && `${Math.round(toMs - fromMs)} ms`,
  ].filter(Boolean);
  const name = nameOf({ name: invocation.job, tickMark: invocation.tickMark }).padEnd(31);
  const words = [
    seconds(toMs - startMs),
    name,
    `  ${tick.padEnd(11)}`,
    `#${id}`.padEnd(4),
    ending.padEnd(25),
    details.join(', '),
  ];
  return words.join('  ').trimEnd();
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)}s`.padStart(6);

/** One row a job: how its ticks went. */
export function summaryTable({ invocations }: History): string[] {
  const skips = [...new Set(invocations.map(({ ending }) => ending))].filter((ending) => ending.startsWith('skipped'));
  const endings = ['ran', 'failed', 'killed', ...skips.sort()];
  const rows = [...grouped(invocations, ({ job, tickMark }) => nameOf({ name: job, tickMark }))].map(([job, mine]) => {
    const ticks = new Set(mine.flatMap(({ tickMs }) => tickMs ?? [])).size;
    const counts = endings.map((ending) => mine.filter((one) => one.ending === ending).length);
    return [job, ticks, mine.length, ...counts].map(String);
  });
  return columns([['job', 'ticks', 'deliveries', ...endings.map((name) => name.replace('skipped ', ''))], ...rows]);
}
