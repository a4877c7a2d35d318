import { connect, createServer, type Socket } from 'node:net';
import { listening } from './loopback.js';

/** Stands between clients and a real server, and delays each step of a connection. */
export interface SlowNetwork {
  readonly endpoint: string;
  /** The number of client connections that are open. */
  open(): number;
  /** The number of connections that clients have made. */
  made(): number;
  stop(): Promise<void>;
}

/**
 * @param upstream the server's URL
 * @param stepMs the time for the set-up of a connection, and for each packet from the client. Answers return at once
 */
export async function startSlowNetwork(upstream: string, stepMs: number): Promise<SlowNetwork> {
  const { port: upstreamPort } = new URL(upstream);
  const clients = new Set<Socket>();
  let made = 0;
  const server = createServer({ noDelay: true }, (client) => {
    const acceptedAt = performance.now() + stepMs;
    const upstream = connect({ host: '127.0.0.1', port: Number(upstreamPort), noDelay: true });
    made++;
    clients.add(client);
    client.on('data', (flight) => {
      const waitMs = Math.max(acceptedAt - performance.now(), 0) + stepMs;
      setTimeout(() => upstream.destroyed || upstream.write(flight), waitMs).unref();
    });
    upstream.on('data', (answer) => client.write(answer));
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clients.delete(client);
        other.destroy();
      });
    }
  });
  const port = await listening(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    open: () => clients.size,
    made: () => made,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const client of clients) client.destroy();
      }),
  };
}
