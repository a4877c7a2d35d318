import { scheduledEvent, schedulerEvent } from 'single-execution/testing';
import { contactsOf, MOST_NIGHTS } from './data.js';

/** One scheduled function as its surroundings know it: what triggers it, and what it does to the world. */
export interface Job {
  /** Its lock. */
  readonly name: string;
  readonly handler: 'nightly-report' | 'tenant-sync';
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
/** No tick of an evening is in the future. */
const FIRST_DAY_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - MOST_NIGHTS * DAY_MS;

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
const tenantSync = (tenant: string): Job => ({
  name: `tenant-sync/${tenant}`,
  handler: 'tenant-sync',
  tickMark: 'start',
  firstTickMs: FIRST_DAY_MS + 18 * HOUR_MS,
  everyMs: HOUR_MS / 4,
  eventOf: (tickMs) => ({
    ...(tickMs !== undefined && schedulerEvent({ scheduledTime: tickMs, style: 'attributes' })),
    detail: { tenant },
  }),
  doneBy: ({ length }, tickMs) => (length === contactsOf(tenant).length ? [tickMs] : []),
});

export const TENANT_SYNCS: readonly Job[] = ['acme', 'globex', 'initech'].map(tenantSync);
