import { connect, createServer, type Socket } from 'node:net';
import { listening } from './loopback.js';

/** Stands between clients and a real server, and delays each step of a connection. */
export interface SlowNetwork {
  /** The server's URL, with the port of this network. */
  readonly endpoint: string;
  /** The number of client connections that are open. */
  open(): number;
  /** The number of connections that clients have made. */
  made(): number;
  stop(): Promise<void>;
}

/**
 * @param upstream the server's URL
 * @param roundTripMs the time for the set-up of a connection. Half of it is the time of each packet, in both directions
 */
export async function startSlowNetwork(upstream: string, roundTripMs: number): Promise<SlowNetwork> {
  const { port: upstreamPort } = new URL(upstream);
  const clients = new Set<Socket>();
  const later = delayLine();
  let made = 0;
  const server = createServer({ noDelay: true }, (client) => {
    const acceptedAt = performance.now() + roundTripMs;
    const upstream = connect({ host: '127.0.0.1', port: Number(upstreamPort), noDelay: true });
    made++;
    clients.add(client);
    const onTheWay = (from = performance.now()) => from + roundTripMs / 2;
    client.on('data', (flight) => {
      const sentAt = Math.max(acceptedAt, performance.now());
      later(onTheWay(sentAt), () => upstream.destroyed || upstream.write(flight));
    });
    upstream.on('data', (answer) => later(onTheWay(), () => client.destroyed || client.write(answer)));
    client.on('error', () => undefined);
    client.on('close', () => {
      clients.delete(client);
      upstream.destroy();
    });
    upstream.on('error', () => undefined);
    upstream.on('close', () => later(onTheWay(), () => client.destroy()));
  });
  const port = await listening(server);
  return {
    endpoint: upstream.replace(`:${upstreamPort}`, `:${port}`),
    open: () => clients.size,
    made: () => made,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const client of clients) client.destroy();
      }),
  };
}

/** How long before its time a timer may fire, or after it. */
const TIMER_MS = 2;
const NAP_MS = 0.05;

/**
 * Makes a line of events that wait for their times, to about a tenth of a millisecond: a timer of Node waits for whole
 * milliseconds, and one of them is as much as the network that a benchmark imitates.
 */
function delayLine(): (atMono: number, event: () => unknown) => void {
  const line: { readonly atMono: number; event(): unknown }[] = [];
  const nap = new Int32Array(new SharedArrayBuffer(4));
  let planned: NodeJS.Timeout | undefined;
  let isNear = false;
  const turn = () => {
    for (let [first] = line; first && first.atMono <= performance.now(); [first] = line) {
      line.shift();
      first.event();
    }
    clearTimeout(planned);
    isNear = false;
    const [next] = line;
    if (!next) return;
    const waitMs = next.atMono - performance.now();
    if (waitMs > TIMER_MS) {
      planned = setTimeout(turn, waitMs - TIMER_MS).unref();
      return;
    }
    isNear = true;
    Atomics.wait(nap, 0, 0, NAP_MS);
    setImmediate(turn);
  };
  return (atMono, event) => {
    const after = line.findIndex((other) => other.atMono > atMono);
    line.splice(after < 0 ? line.length : after, 0, { atMono, event });
    if (!isNear) turn();
  };
}
