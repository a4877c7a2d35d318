import type { History } from '../test/support/history/history.js';
import { INVARIANTS } from '../test/support/history/invariants.js';
import type { Paint } from '../test/support/play/terminal.js';
import type { Race } from './race.js';

const COLUMNS = 57;
const RACE_COLUMN_MS = 70;
const HOSTS = ['host 1', 'host 2'];

/** A picture of both lanes of the race, with the numbers below. */
export function racePicture({ startMs, without, within }: Race, paint: Paint): string[] {
  const rows = (name: string, lane: History) =>
    drawn(lane, { startMs, columnMs: RACE_COLUMN_MS }, paint).map(
      (row, n) => `  ${(n === 0 ? name : '').padEnd(8)} ${row}`,
    );
  return [
    'A tick is the scheduled time that a delivery stands for. A trigger can deliver it twice.',
    `The same ${without.runs.length} deliveries of ${new Set(without.runs.map(({ tick }) => tick)).size} ticks go to two hosts, without and with the wrapper:`,
    '',
    ...rows('without', without),
    ...rows('with', within),
    '',
    counted('without', without, paint),
    counted('with   ', within, paint),
    '',
    '  █ a run  · a skip. The third tick comes while the second is still at work: with the lock',
    '  nobody runs it, unless catchUp is on.',
    '',
  ];
}

/**
 * A line for each host: bars for runs, dots for skips. A run that breaks an invariant gets the colour `bad`, a failed
 * run `odd`.
 */
export function drawn(
  history: History,
  { startMs, columnMs }: { readonly startMs: number; readonly columnMs: number },
  paint: Paint,
): string[] {
  const bad = new Set([...breaching('I1', history), ...breaching('I3, done', history)]);
  return HOSTS.map((host) => {
    const cells = Array.from({ length: COLUMNS }, (_, n) => {
      const [fromMs, toMs] = [startMs + n * columnMs, startMs + (n + 1) * columnMs];
      const run = history.runs.find((one) => one.host === host && one.began[0] < toMs && fromMs < one.ended[0]);
      if (run) return bad.has(run) ? paint.bad('█') : run.end === 'returned' ? paint.good('█') : paint.odd('▒');
      const isSkip = history.skips.some((skip) => skip.host === host && fromMs <= skip.at[1] && skip.at[1] < toMs);
      return isSkip ? paint.dim('·') : ' ';
    });
    return `${host}  ${cells.join('')}`.trimEnd();
  });
}

function counted(name: string, lane: History, paint: Paint): string {
  const [again, beside] = [breaching('I3, done', lane).length, breaching('I1', lane).length];
  const reasons = [...new Set(lane.skips.map(({ reason }) => reason))].map(
    (reason) => `${lane.skips.filter((skip) => skip.reason === reason).length} ${reason}`,
  );
  const skipped = reasons.length > 0 ? `; ${lane.skips.length} skipped (${reasons.join(', ')})` : '';
  const words = `${lane.runs.length} runs: ${again} ticks ran twice, ${beside} runs began beside another${skipped}`;
  return `  ${name}  ${(again + beside > 0 ? paint.bad : paint.good)(words)}`;
}

/** The runs that break an invariant. Each is the last fact of a breach. */
function breaching(name: string, history: History) {
  const breaches = INVARIANTS.find((one) => one.name === name)?.check(history).breaches ?? [];
  return [...new Set(breaches.map(({ facts }) => facts.at(-1)))];
}
