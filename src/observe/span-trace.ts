import type { SpanContext } from './otel-api.js';

const IDS = /^([0-9a-f]{32})([0-9a-f]{16})$/;
const NO_TRACE = /^0+$/;

/** The ids of a span in 32 characters of base64url; undefined for a span that nobody records. */
export function traceOf({ traceId, spanId }: SpanContext): string | undefined {
  const ids = traceId + spanId;
  if (!IDS.test(ids) || NO_TRACE.test(traceId)) return undefined;
  const bytes = ids.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

/** The span that another process has left the trace of; undefined for what is no trace. */
export function contextOf(trace: string | undefined): SpanContext | undefined {
  if (trace === undefined || !/^[\w-]{32}$/.test(trace)) return undefined;
  const bytes = [...atob(trace.replaceAll('-', '+').replaceAll('_', '/'))];
  const hex = bytes.map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  const [, traceId = '', spanId = ''] = IDS.exec(hex) ?? [];
  return { traceId, spanId, traceFlags: 1 };
}
