import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the next requests find: a service in good health, a slow one, or a broken one. */
export interface Health {
  readonly delayMs?: number;
  readonly status?: number;
}

/** A request that the service has seen; `leftMs` when it was answered or its client had gone. */
export interface Visit {
  readonly path: string;
  readonly arrivedMs: number;
  readonly leftMs?: number;
  readonly status?: number;
}

/** The service that a tenant's data come from, as one worker sees it. */
export interface TenantApi {
  readonly url: string;
  setHealth(health: Health): void;
  visits(): readonly Visit[];
  /** Forgets visits and is in good health again. */
  reset(): void;
  stop(): Promise<void>;
}

export async function startTenantApi(): Promise<TenantApi> {
  let health: Health = {};
  let visits: Visit[] = [];

  const server = createServer((incoming, outgoing) => {
    const { delayMs = 0, status = 200 } = health;
    const path = incoming.url ?? '/';
    const arrived = { path, arrivedMs: performance.now() };
    const index = visits.push(arrived) - 1;
    outgoing.once('close', () => {
      const answered = outgoing.headersSent ? { status: outgoing.statusCode } : {};
      if (visits[index] === arrived) visits[index] = { ...arrived, leftMs: performance.now(), ...answered };
    });
    incoming.resume();
    const reply = setTimeout(() => {
      outgoing.writeHead(status, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify(status === 200 ? contactsOf(path.split('/')[1] ?? '') : { message: 'out of order' }));
    }, delayMs);
    // A slow answer is no reason for the play to go on.
    reply.unref();
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    setHealth(next) {
      health = next;
    },
    visits: () => visits,
    reset() {
      visits = [];
      health = {};
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface Contact {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** What the service knows of a tenant: a few contacts, always the same. */
export function contactsOf(tenant: string): readonly Contact[] {
  return Array.from({ length: 2 + (tenant.length % 3) }, (_, i) => {
    const id = `${tenant}-${i + 1}`;
    return { id, name: `Contact ${i + 1} of ${tenant}`, email: `${id}@example.org` };
  });
}
