import { type Call, type Played, played } from './play.js';
import { bar, line, picture, skip, text } from './svg.js';

/** A job that is due every ten minutes, from 02:00. The run of 02:10 is slow, and two ticks are delivered twice. */
const CALLS: readonly Call[] = [
  { at: 0, tick: 0, lasts: 6, label: '02:00' },
  { at: 3, tick: 0, lasts: 6, label: '02:00 again' },
  { at: 10, tick: 10, lasts: 14, label: '02:10' },
  { at: 20, tick: 20, lasts: 6, label: '02:20' },
  { at: 27.2, tick: 10, lasts: 5.5, label: '02:10 again' },
  { at: 30, tick: 30, lasts: 6, label: '02:30' },
];

const WIDTH = 800;
const LEFT = 20;
const perMinute = (minutes: number) => minutes * 19.5;
const xOf = (minutes: number) => LEFT + perMinute(minutes);

/** A picture of the same deliveries, once without a lock and once with this library. */
export async function race(): Promise<string> {
  const withIt = await played(CALLS, { lockAtMostFor: '15m' });
  const ran = withIt.filter(({ skipped }) => !skipped);
  const wrong = CALLS.filter((call, n) => isSecond(call, n) || overlaps(call, n));
  const without = `${CALLS.length} runs: ${CALLS.filter(isSecond).length} ticks ran twice, ${CALLS.filter(overlaps).length} runs began while another was going on`;
  const kept = `${ran.length} runs: each tick at most once, one at a time; ${withIt.length - ran.length} deliveries skipped`;
  return picture(WIDTH, 358, `Without: ${without}. With single-execution: ${kept}.`, [
    ...lane(32, 'Without', without),
    ...CALLS.map((call, n) =>
      bar(xOf(call.at), rowOf(n, 68), perMinute(call.lasts), wrong.includes(call) ? 'bad' : 'good', call.label),
    ),
    ...lane(182, 'With single-execution', kept),
    ...withIt.map((call) => shown(call, 218)),
    ...axis(308),
  ]);
}

const isSecond = ({ tick }: Call, n: number) => CALLS.slice(0, n).some((before) => before.tick === tick);
const overlaps = ({ at }: Call, n: number) => CALLS.slice(0, n).some((before) => before.at + before.lasts > at);

const lane = (y: number, title: string, words: string) => [
  text(LEFT, y, title, 'title'),
  text(LEFT, y + 22, words, 'quiet'),
];

/** Where to draw a run: one row lower if it begins during another run. */
const rowOf = (n: number, top: number) => (CALLS[n] && overlaps(CALLS[n], n) ? top + 34 : top);

function shown({ at, lasts, label, skipped }: Played, top: number): string {
  if (!skipped) return bar(xOf(at), top, perMinute(lasts), 'good', label);
  return skip(xOf(at), top + 34, skipped);
}

const axis = (y: number) => [
  line(LEFT, y, WIDTH - LEFT, y),
  ...[0, 10, 20, 30].flatMap((minutes) => [
    line(xOf(minutes), y, xOf(minutes), y + 6),
    text(xOf(minutes), y + 24, `02:${String(minutes).padStart(2, '0')}`, 'quiet'),
  ]),
];
