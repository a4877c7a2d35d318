import { useMemo } from 'preact/hooks';
import type { Job } from './feed.js';
import { axisOf, type Scale, type Span } from './scale.js';
import { type Timeline, timelineOf, timelineWords } from './timeline.js';

/** The widest window that shows a list without columns, in pixels, as in page.css. */
const NARROW = 720;

/** The most labels below the large picture, and above those of a list, which are as wide on a phone. */
const LABELS = 6;
const listLabels = () => (innerWidth > NARROW ? 8 : LABELS);

/** The least width of a bar, in per cent of the picture: a thinner bar could not be seen. */
const THINNEST = 0.8;

/** The last runs of a lock, and all that its record knows, on a line of time with an axis. */
export function LargePicture({ lock, nowMs }: { readonly lock: Job; readonly nowMs: number }) {
  const timeline = timelineOf(lock, nowMs);
  if (!timeline) return <NoPicture lock={lock} />;
  return (
    <svg class="timeline large" role="img" aria-label={timelineWords(lock)}>
      <Shapes timeline={timeline} nowMs={nowMs} dot={6} />
      <Axis span={timeline} />
    </svg>
  );
}

/** The last runs of a lock, on the scale of a list. It is drawn anew only if one of the two has changed. */
export function RowPicture({ lock, scale }: { readonly lock: Job; readonly scale: Scale }) {
  return useMemo(() => {
    const timeline = timelineOf(lock, scale.nowMs, scale);
    if (!timeline) return <NoPicture lock={lock} />;
    const { older } = timeline;
    return (
      <div class="line">
        <span class="older" aria-hidden="true" title={older > 0 ? `${older} older runs: choose a longer time` : ''}>
          {older > 0 && `‹${older}`}
        </span>
        <svg class="timeline" role="img" aria-label={timelineWords(lock)}>
          {axisOf(scale, listLabels()).map(({ atMs }) => (
            <line key={atMs} x1={percent(scale, atMs)} x2={percent(scale, atMs)} y1="0" y2="100%" class="grid" />
          ))}
          <Shapes timeline={timeline} nowMs={scale.nowMs} dot={4} />
        </svg>
      </div>
    );
  }, [lock, scale.fromMs, scale.toMs]);
}

function NoPicture({ lock }: { readonly lock: Job }) {
  return <span class="quiet">{lock.state === 'corrupt' ? 'unknown' : 'no runs yet'}</span>;
}

/** The axis of the scale that all pictures of a list share. */
export function ListAxis({ scale }: { readonly scale: Scale }) {
  return (
    <div class="line">
      <span class="older" />
      <svg class="list-axis" aria-hidden="true">
        <Axis span={scale} nowMs={scale.nowMs} />
      </svg>
    </div>
  );
}

/** Where an instant is, in per cent of the width. */
function at({ fromMs, toMs }: Span, ms: number): number {
  return ((Math.min(Math.max(ms, fromMs), toMs) - fromMs) / (toMs - fromMs)) * 100;
}

const percent = (span: Span, ms: number): string => `${at(span, ms)}%`;

/** How near a label may be to that of the present, in per cent of the width. */
const NEAR = 10;
/** Where a label at the right edge has its middle, at the most. */
const EDGE = 95;

function Axis({ span, nowMs }: { readonly span: Span; readonly nowMs?: number }) {
  const nowAt = nowMs === undefined ? Number.NaN : at(span, nowMs);
  const labels = axisOf(span, nowMs === undefined ? LABELS : listLabels()).map(({ atMs, words }) => ({
    x: at(span, atMs),
    words,
  }));
  return (
    <>
      {[
        ...labels.filter(({ x }) => !(Math.abs(Math.min(x, EDGE) - nowAt) < NEAR)),
        ...(nowMs === undefined ? [] : [{ x: nowAt, words: 'now' }]),
      ].map(({ x, words }) => (
        <text key={words} x={`${x}%`} y="100%" dy="-2" class="axis-words" text-anchor={anchorOf(x)}>
          {words}
        </text>
      ))}
    </>
  );
}

interface ShapesProps {
  readonly timeline: Timeline;
  readonly nowMs: number;
  /** The radius of a mark, in pixels. */
  readonly dot: number;
}

function Shapes({ timeline, nowMs, dot }: ShapesProps) {
  const { bars, overs, marks } = timeline;
  const width = (part: Span) => `${Math.max(THINNEST, at(timeline, part.toMs) - at(timeline, part.fromMs))}%`;
  return (
    <>
      <line x1="0" x2="100%" y1="50%" y2="50%" class="axis" />
      {bars.map((bar) => (
        <rect
          key={`${bar.kind} ${bar.fromMs}`}
          class={`bar ${bar.kind}`}
          x={percent(timeline, bar.fromMs)}
          width={width(bar)}
          {...bandOf(bar.kind)}
          rx="2"
        >
          <title>{bar.words}</title>
        </rect>
      ))}
      {overs.map((over) => (
        <rect
          key={`${over.kind} ${over.fromMs}`}
          class={`over ${over.kind}`}
          x={percent(timeline, over.fromMs)}
          width={width(over)}
          {...(over.kind === 'past-tick' ? { y: '77%', height: '10%' } : { y: '13%', height: '10%' })}
        >
          <title>{over.words}</title>
        </rect>
      ))}
      {marks.map(({ kind, atMs, words }) => (
        <circle key={`${kind} ${atMs}`} class={`mark ${kind}`} cx={percent(timeline, atMs)} cy="16%" r={dot}>
          <title>{words}</title>
        </circle>
      ))}
      <line x1={percent(timeline, nowMs)} x2={percent(timeline, nowMs)} y1="0" y2="100%" class="now" />
    </>
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

const OVERS = [
  ['past-tick', 'past its next tick, whose call was skipped, or waited'],
  ['past-lease', 'longer than the present lease'],
] as const;

/** What the shapes mean. On a phone it opens when asked. */
export function Legend() {
  return innerWidth > NARROW ? (
    <Meanings />
  ) : (
    <details>
      <summary>What the pictures show</summary>
      <Meanings />
    </details>
  );
}

function Meanings() {
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
      {OVERS.map(([kind, words]) => (
        <li key={kind}>
          <svg width="16" height="6" aria-hidden="true">
            <rect class={`over ${kind}`} y="1" width="16" height="4" />
          </svg>
          {words}
        </li>
      ))}
    </ul>
  );
}

/** How long the last runs took, oldest first, beside the lease of the run that has the lock. */
export function Durations({ lock }: { readonly lock: Job }) {
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
