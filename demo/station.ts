import { type FaultProxy, startFaultProxy } from '../test/support/fault-proxy.js';
import { startTenantApi, type TenantApi } from './tenant-api.js';

/**
 * A place where a worker runs, with a network of its own to the database and to the tenants' service: whatever goes
 * over it is the work of that worker.
 */
export interface Station {
  readonly proxy: FaultProxy;
  readonly api: TenantApi;
}

export async function openStation(endpoint: string): Promise<Station> {
  return { proxy: await startFaultProxy(endpoint), api: await startTenantApi() };
}

export async function closeStation({ proxy, api }: Station): Promise<void> {
  await Promise.all([proxy.stop(), api.stop()]);
}

/** Forgets what was seen, and is in good order again. */
export function calm({ proxy, api }: Station): void {
  proxy.reset();
  api.reset();
}
