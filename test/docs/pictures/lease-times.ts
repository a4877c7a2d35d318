import { type Call, type Played, played } from './play.js';
import { bar, cross, line, picture, skip, text } from './svg.js';

interface Lane {
  readonly title: string;
  readonly times: { readonly lockAtMostFor: string; readonly lockAtLeastFor?: string };
  /** How long a killed run keeps its lock. */
  readonly leaseMinutes: number;
  /** How long a run that succeeded keeps its lock at least. */
  readonly atLeastMinutes?: number;
  readonly calls: readonly Call[];
}

const every15 = (first: Call): Call[] => [
  first,
  { at: 15, tick: 15, lasts: 4, label: '02:15' },
  { at: 30, tick: 30, lasts: 4, label: '02:30' },
];

const usual: Call = { at: 0, tick: 0, lasts: 4, label: '02:00' };
const killed: Call = { ...usual, isKilled: true };

/** A job that is due every 15 minutes and takes 4 minutes, at most 10. */
const LANES: readonly Lane[] = [
  {
    title: 'All is well: each run gives its lock back at its end.',
    times: { lockAtMostFor: '12m' },
    leaseMinutes: 12,
    calls: every15(usual),
  },
  {
    title: 'Killed, with lockAtMostFor 12 min: the lock is free before the next tick.',
    times: { lockAtMostFor: '12m' },
    leaseMinutes: 12,
    calls: every15(killed),
  },
  {
    title: 'Killed, with lockAtMostFor 20 min: the next tick is lost.',
    times: { lockAtMostFor: '20m' },
    leaseMinutes: 20,
    calls: every15(killed),
  },
  {
    title: 'Without ticks, with lockAtLeastFor 8 min: a host whose clock is 6 min late is skipped.',
    times: { lockAtMostFor: '12m', lockAtLeastFor: '8m' },
    leaseMinutes: 12,
    atLeastMinutes: 8,
    calls: [0, 15].flatMap((at) => [
      { at, lasts: 4, label: 'host A' },
      { at: at + 6, lasts: 4, label: 'host B' },
    ]),
  },
];

const WIDTH = 760;
const HEIGHT = 112;
const LEFT = 20;
const perMinute = (minutes: number) => minutes * 20;
const xOf = (minutes: number) => LEFT + perMinute(minutes);

/** A picture of what lockAtMostFor and lockAtLeastFor do, along a line of time. */
export async function leaseTimes(): Promise<string> {
  const lanes = await Promise.all(LANES.map(({ calls, times }) => played(calls, times)));
  const bottom = LANES.length * HEIGHT + 8;
  return picture(WIDTH, bottom + 44, LANES.map(({ title }) => title).join(' '), [
    ...LANES.flatMap((lane, n) => drawn(lane, lanes[n] ?? [], n * HEIGHT + 32)),
    line(LEFT, bottom, WIDTH - LEFT, bottom),
    ...[0, 15, 30].flatMap((minutes) => [
      line(xOf(minutes), bottom, xOf(minutes), bottom + 6),
      text(xOf(minutes), bottom + 24, `02:${String(minutes).padStart(2, '0')}`, 'quiet'),
    ]),
  ]);
}

function drawn(lane: Lane, calls: readonly Played[], y: number): string[] {
  return [text(LEFT, y, lane.title), ...calls.map((call) => shown(lane, call, y + 14))];
}

function shown({ leaseMinutes, atLeastMinutes = 0 }: Lane, call: Played, y: number): string {
  const { at, lasts, label, skipped, isKilled } = call;
  const x = xOf(at);
  if (skipped) return skip(x, y + 34, skipped);
  const run = bar(x, y, perMinute(lasts), isKilled ? 'bad' : 'good', label);
  const heldMinutes = isKilled ? leaseMinutes : atLeastMinutes;
  if (heldMinutes <= lasts) return run;
  const rest = bar(xOf(at + lasts), y, perMinute(heldMinutes - lasts), 'rest', 'locked');
  return [rest, run, ...(isKilled ? [cross(xOf(at + lasts), y + 14)] : [])].join('\n');
}
