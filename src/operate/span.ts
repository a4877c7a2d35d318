import { formatDuration } from '../core/values/duration.js';

const SECOND_MS = 1_000;
const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

/** Milliseconds as an operator reads them: at most two units, `2m10s`, `3d4h`; below a second in milliseconds. */
export function shortSpan(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < SECOND_MS) return `${whole}ms`;
  const unit = whole < HOUR_MS ? SECOND_MS : whole < DAY_MS ? MINUTE_MS : HOUR_MS;
  return formatDuration(Math.floor(whole / unit) * unit);
}

/** A duration of a run: tenths of a second below a minute. */
export function runSpan(ms: number): string {
  return ms >= SECOND_MS && ms < MINUTE_MS ? `${(ms / SECOND_MS).toFixed(1)}s` : shortSpan(ms);
}

/** A tick as an operator reads and types it, in UTC; with milliseconds only if they are not 0. */
export function shortInstant(at: Date): string {
  return at.toISOString().replace('.000Z', 'Z');
}

/** Any other instant, cut to the second. */
export function toTheSecond(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z');
}
