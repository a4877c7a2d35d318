import { dataRequests, writtenIn } from './data-requests.js';
import { type Job, spanOf } from './job.js';
import { contactsOf } from './tenant-api.js';

const LEASE_MARGIN_MS = 2_000;

/** handlers/tenant-sync.ts: copies the contacts of one tenant from the tenants' service to the data table. */
export function tenantSync(tenant: string): Job {
  return {
    name: `tenant-sync/${tenant}`,
    handler: 'tenant-sync',
    tickMark: 'start',
    leaseMs: (remainingMs) => remainingMs + LEASE_MARGIN_MS,

    event: (tickMs) => ({
      ...(tickMs !== undefined && { scheduledTime: new Date(tickMs).toISOString().replace('.000', '') }),
      scheduleArn: `arn:aws:scheduler:eu-central-1:123456789012:schedule/default/tenant-sync-${tenant}`,
      attemptNumber: '1',
      detail: { tenant },
    }),

    slow({ api }, ms) {
      api.setHealth({ delayMs: ms });
    },

    breakDown({ api }) {
      api.setHealth({ status: 500 });
    },

    workAt(station, tickMs) {
      const requests = dataRequests(station);
      const span = spanOf([...station.api.visits(), ...requests]);
      if (!span) return undefined;
      const contacts = writtenIn(requests);
      const token = contacts[0]?.token;
      const isDone = contacts.length === contactsOf(tenant).length;
      return {
        ...span,
        ...(token !== undefined && { token }),
        doneTicksMs: isDone && tickMs !== undefined ? [tickMs] : [],
      };
    },

    skipOf(value) {
      const { skipped, holder } = value as { skipped?: string; holder?: string };
      if (skipped === undefined) return undefined;
      return { reason: skipped, ...(holder !== undefined && { lockedBy: holder }) };
    },

    told: (value) => `${(value as { synced: number }).synced} contacts`,
  };
}
