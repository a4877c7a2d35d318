import { isSkipped } from 'single-execution';
import { dataRequests, isForData, writtenIn } from './data-requests.js';
import { type Job, spanOf } from './job.js';

const DAY_MS = 86_400_000;
const TWO_O_CLOCK_MS = 7_200_000;
const AT_LEAST_MS = 60_000;
const LEASE_MARGIN_MS = 2_000;

/** handlers/nightly-report.ts: reads orders of a day from the data table and writes one report. */
export const nightlyReport: Job = {
  name: 'nightly-report',
  handler: 'nightly-report',
  tickMark: 'success',
  leaseMs: (remainingMs) => Math.max(AT_LEAST_MS, remainingMs + LEASE_MARGIN_MS),

  event: (tickMs) => ({
    id: crypto.randomUUID(),
    source: tickMs === undefined ? 'by.hand' : 'aws.events',
    'detail-type': 'Scheduled Event',
    region: 'eu-central-1',
    resources: ['arn:aws:events:eu-central-1:123456789012:rule/nightly-report'],
    detail: {},
    ...(tickMs !== undefined && { time: new Date(tickMs).toISOString().replace('.000', '') }),
  }),

  slow({ proxy }, ms) {
    proxy.inject({ kind: 'delay', ms }, { when: isForData });
  },

  breakDown({ proxy }) {
    const failure = { kind: 'error', at: 'before', status: 400, type: 'ValidationException' } as const;
    proxy.inject(failure, { when: isForData });
  },

  workAt(station) {
    const requests = dataRequests(station);
    const span = spanOf(requests);
    if (!span) return undefined;
    const reports = writtenIn(requests);
    const token = reports[0]?.token;
    return {
      ...span,
      ...(token !== undefined && { token }),
      doneTicksMs: reports.map(({ pk }) => Date.parse(pk.slice('REPORT#'.length)) + DAY_MS + TWO_O_CLOCK_MS),
    };
  },

  skipOf(value) {
    if (!isSkipped(value)) return undefined;
    return { reason: value.reason, ...(value.holder && { lockedBy: value.holder.lockedBy }) };
  },

  told(value) {
    const { reports } = value as { reports: readonly { readonly day: string }[] };
    return `reports of ${reports.map(({ day }) => day.slice(5)).join(' and ')}`;
  },
};
