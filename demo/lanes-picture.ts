import type { Paint } from '../test/support/play/terminal.js';
import { doubleRuns, type Lane } from './lanes.js';

const COLUMN_MS = 70;
const COLUMNS = 57;

/** Both lanes as bars, and what was counted in them. */
export function lanesPicture({ without, within }: Record<'without' | 'within', Lane>, paint: Paint): string[] {
  const deliveries = without.runs.length;
  const ticks = new Set(without.runs.map(({ tick }) => tick)).size;
  return [
    'A tick is the scheduled time that a delivery stands for. A trigger can deliver it twice.',
    `The same ${deliveries} deliveries of ${ticks} ticks go to two hosts, without and with the wrapper:`,
    '',
    ...drawn('without', without, paint),
    ...drawn('with', within, paint),
    '',
    counted('without', without, paint),
    counted('with   ', within, paint),
    '',
    '  █ a run  · a skip. The third tick comes while the second is still at work.',
    '',
  ];
}

/** A line for each host: its runs as bars, its skips as dots. A run that should not have been is bad. */
function drawn(name: string, lane: Lane, paint: Paint): string[] {
  const { again, beside } = doubleRuns(lane);
  const bad = new Set([...again, ...beside]);
  return [0, 1].map((host) => {
    const cells = Array.from({ length: COLUMNS }, (_, n) => {
      const [fromMs, toMs] = [n * COLUMN_MS, (n + 1) * COLUMN_MS];
      const run = lane.runs.find((one) => one.host === host && one.fromMs < toMs && fromMs < one.toMs);
      if (run) return bad.has(run) ? paint.bad('█') : paint.good('█');
      const skip = lane.skips.some(({ host: its, atMs }) => its === host && fromMs <= atMs && atMs < toMs);
      return skip ? paint.dim('·') : ' ';
    });
    return `  ${(host === 0 ? name : '').padEnd(8)} host ${host + 1}  ${cells.join('')}`.trimEnd();
  });
}

function counted(name: string, lane: Lane, paint: Paint): string {
  const { again, beside } = doubleRuns(lane);
  const reasons = [...new Set(lane.skips.map(({ reason }) => reason))].map(
    (reason) => `${lane.skips.filter((skip) => skip.reason === reason).length} ${reason}`,
  );
  const skipped = reasons.length > 0 ? `; ${lane.skips.length} skipped (${reasons.join(', ')})` : '';
  const words = `${lane.runs.length} runs: ${again.length} ticks ran twice, ${beside.length} runs began beside another${skipped}`;
  return `  ${name}  ${(again.length + beside.length > 0 ? paint.bad : paint.good)(words)}`;
}
