import type { LockInfo } from '../../../admin/lock-admin.js';
import { axisOf, timelineOf, timelineWords } from './timeline.js';

/** The least width of a bar, in per cent of the picture: a thinner bar could not be seen. */
const THINNEST = 0.8;

interface Props {
  readonly lock: LockInfo;
  readonly nowMs: number;
  /** Whether to draw the axis too, for the page of one job. */
  readonly large?: boolean;
}

/** The last runs of a lock on a line of time. */
export function Picture({ lock, nowMs, large = false }: Props) {
  const timeline = timelineOf(lock, nowMs);
  if (!timeline) return <span class="quiet">no runs yet</span>;
  const { fromMs, toMs, bars, marks } = timeline;
  const at = (ms: number) => ((Math.min(Math.max(ms, fromMs), toMs) - fromMs) / (toMs - fromMs)) * 100;
  return (
    <svg class={large ? 'timeline large' : 'timeline'} role="img" aria-label={timelineWords(lock)}>
      <line x1="0" x2="100%" y1="50%" y2="50%" class="axis" />
      {bars.map(({ kind, fromMs: from, toMs: to, words }) => (
        <rect
          key={`${kind} ${from}`}
          class={`bar ${kind}`}
          x={`${at(from)}%`}
          width={`${Math.max(THINNEST, at(to) - at(from))}%`}
          {...bandOf(kind)}
          rx="2"
        >
          <title>{words}</title>
        </rect>
      ))}
      {marks.map(({ kind, atMs, words }) => (
        <circle key={`${kind} ${atMs}`} class={`mark ${kind}`} cx={`${at(atMs)}%`} cy="16%" r={large ? 6 : 4}>
          <title>{words}</title>
        </circle>
      ))}
      <line x1={`${at(nowMs)}%`} x2={`${at(nowMs)}%`} y1="0" y2="100%" class="now" />
      {large &&
        axisOf(timeline, 6).map(({ atMs, words }) => (
          <text key={atMs} x={`${at(atMs)}%`} y="100%" dy="-2" class="axis-words" text-anchor={anchorOf(at(atMs))}>
            {words}
          </text>
        ))}
    </svg>
  );
}

/** The anchor of a label, chosen so that a label at an edge stays inside the picture, also on a phone. */
function anchorOf(percent: number): 'start' | 'middle' | 'end' {
  if (percent < 6) return 'start';
  return percent > 94 ? 'end' : 'middle';
}

/** The pattern that fills the bar of a run whose end is unknown. A page needs it once. */
export function Hatch() {
  return (
    <svg width="0" height="0" class="hidden" aria-hidden="true">
      <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="6" height="6" class="hatch-ground" />
        <rect width="2.5" height="6" class="hatch-line" />
      </pattern>
    </svg>
  );
}

/** The top and the height of a bar. A bar behind others is taller. */
function bandOf(kind: string): { readonly y: string; readonly height: string } {
  if (kind === 'paused') return { y: '5%', height: '90%' };
  return kind === 'lease' ? { y: '15%', height: '70%' } : { y: '25%', height: '50%' };
}

const KINDS = [
  ['succeeded', 'succeeded'],
  ['failed', 'failed'],
  ['crashed', 'crashed: its end is unknown'],
  ['forced', 'ended by force'],
  ['running', 'has the lock now'],
  ['expired', 'its lease is over'],
  ['lease', 'lease'],
  ['paused', 'paused'],
] as const;

export function Legend() {
  return (
    <ul class="legend" aria-label="What the picture shows">
      {KINDS.map(([kind, words]) => (
        <li key={kind}>
          <svg width="16" height="12" aria-hidden="true">
            <rect class={`bar ${kind}`} width="16" height="12" rx="2" />
          </svg>
          {words}
        </li>
      ))}
      {(['missed', 'open'] as const).map((kind) => (
        <li key={kind}>
          <svg width="14" height="14" aria-hidden="true">
            <circle class={`mark ${kind}`} cx="7" cy="7" r="5" />
          </svg>
          {kind === 'missed' ? 'open tick without a run' : 'other open tick'}
        </li>
      ))}
    </ul>
  );
}

/** How long the last runs took, oldest first, beside the lease of the run that has the lock. */
export function Durations({ lock }: { readonly lock: LockInfo }) {
  const runs = lock.runs.filter(({ durationMs }) => durationMs !== undefined).toReversed();
  if (runs.length === 0) return null;
  const { leaseMs } = lock;
  const longestMs = Math.max(1, ...runs.map(({ durationMs = 0 }) => durationMs), leaseMs ?? 0);
  const high = (ms: number) => (ms / longestMs) * 90;
  const words = runs.map(({ durationMs = 0 }) => `${durationMs} ms`).join(', ');
  return (
    <svg class="durations" role="img" aria-label={`durations, oldest first: ${words}`}>
      {runs.map(({ fencingToken, status, durationMs = 0 }, i) => (
        <rect
          key={fencingToken}
          class={`bar ${status}`}
          x={`${i * 10 + 1}%`}
          width="8%"
          y={`${100 - Math.max(2, high(durationMs))}%`}
          height={`${Math.max(2, high(durationMs))}%`}
        >
          <title>{`${durationMs} ms, token ${fencingToken}`}</title>
        </rect>
      ))}
      {leaseMs !== undefined && (
        <line class="lease-line" x1="0" x2="100%" y1={`${100 - high(leaseMs)}%`} y2={`${100 - high(leaseMs)}%`}>
          <title>{`lease ${leaseMs} ms`}</title>
        </line>
      )}
    </svg>
  );
}
