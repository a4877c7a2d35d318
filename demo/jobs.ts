import { scheduledEvent, schedulerEvent } from 'single-execution/testing';
import { contactsOf, MOST_NIGHTS } from './data.js';

/** One scheduled function as its surroundings know it: what triggers it, and what it does to the world. */
export interface Job {
  /** Its lock. */
  readonly name: string;
  readonly handler: 'send-digest' | 'nightly-report' | 'tenant-sync';
  /** Whether a tick is done when it succeeded, or once it started (at most once). */
  readonly tickMark: 'success' | 'start';
  readonly firstTickMs: number;
  readonly everyMs: number;
  /** The event of a tick; without one, that of somebody who starts the function by hand. */
  eventOf(tickMs: number | undefined): unknown;
  /** The ticks that are done when a run has written these partitions, once for each item. */
  doneBy(partitions: readonly string[], tickMs: number): readonly number[];
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** No night of an evening is in the future. */
const FIRST_DAY_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - MOST_NIGHTS * DAY_MS;

const TENANT = 'acme';

/** The job of the README. */
export const SEND_DIGEST: Job = {
  name: 'send-digest',
  handler: 'send-digest',
  tickMark: 'success',
  // Ticks are recent, so that those which stay open stand beside the runs in the console.
  firstTickMs: Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - HOUR_MS,
  everyMs: MINUTE_MS,
  eventOf: (tickMs) => scheduledEvent({ time: tickMs ?? Date.now() }),
  doneBy: (partitions) => partitions.map((pk) => Date.parse(pk.slice('DIGEST#'.length))),
};

/** handlers/nightly-report.ts: reads orders of a day from the data table and writes one report. */
export const NIGHTLY_REPORT: Job = {
  name: 'nightly-report',
  handler: 'nightly-report',
  tickMark: 'success',
  firstTickMs: FIRST_DAY_MS + 2 * HOUR_MS,
  everyMs: DAY_MS,
  eventOf: (tickMs) => (tickMs === undefined ? { source: 'by.hand' } : scheduledEvent({ time: tickMs })),
  doneBy: (partitions) => partitions.map((pk) => Date.parse(pk.slice('REPORT#'.length)) + DAY_MS + 2 * HOUR_MS),
};

/** handlers/tenant-sync.ts: copies the contacts of one tenant from the tenants' service to the data table. */
export const TENANT_SYNC: Job = {
  name: `tenant-sync/${TENANT}`,
  handler: 'tenant-sync',
  tickMark: 'start',
  firstTickMs: FIRST_DAY_MS + 18 * HOUR_MS,
  everyMs: HOUR_MS / 4,
  eventOf: (tickMs) => ({
    ...(tickMs !== undefined && schedulerEvent({ scheduledTime: tickMs, style: 'attributes' })),
    detail: { tenant: TENANT },
  }),
  doneBy: ({ length }, tickMs) => (length === contactsOf(TENANT).length ? [tickMs] : []),
};
