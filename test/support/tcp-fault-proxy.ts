import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './kept-server.js';
import { listening } from './loopback.js';

/**
 * What happens to a request. `drop-request`: the connection is reset before the server sees the request.
 * `drop-response`: it is reset after the server has answered. `busy`: the client gets this error of Redis, and the
 * server never sees the request. `stall`: the request and all data after it stay unread until the connection ends.
 * `keepBackMs`: this answer and all later ones on the connection are delayed. `lateMs`:
 * the connection is reset, and the server sees the request that much later.
 */
export type TcpFault =
  | 'drop-request'
  | 'drop-response'
  | 'busy'
  | 'stall'
  | { readonly keepBackMs: number }
  | { readonly lateMs: number };

export interface TcpFaultProxy {
  readonly port: number;
  /** Ends all connections and refuses new ones, until `comeBack`. */
  goAway(): void;
  /** From now on nothing passes over the connections that are open, and nobody is told. New ones work. */
  goDead(): void;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Stands between one client and a real server. Data that arrives in one piece counts as one request. If a client has
 * several commands under way, a fault can strike them all.
 *
 * @param faultFor returns the fault of a request; called once for each request, with the port from which the server
 *   sees it come
 */
export async function startTcpFaultProxy(
  redisPort: number,
  faultFor: (request: string, from: number | undefined) => TcpFault | undefined,
): Promise<TcpFaultProxy> {
  const sockets = new Set<Socket>();
  const dead = new Set<Socket>();
  const deliverLate = async (request: Buffer, lateMs: number) => {
    await sleep(lateMs, undefined, { ref: false });
    const upstream = connect({ host: '127.0.0.1', port: redisPort });
    sockets.add(upstream);
    upstream.on('error', () => undefined);
    upstream.on('close', () => sockets.delete(upstream));
    upstream.once('data', () => upstream.destroy());
    upstream.write(request);
  };
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: '127.0.0.1', port: redisPort, noDelay: true });
    const both = [client, upstream];
    let dropsAnswer = false;
    let keptBackUntilMs = 0;
    let passing: Promise<unknown> = Promise.resolve();
    const hangUp = () => {
      if (dead.has(client)) return;
      client.resetAndDestroy();
      upstream.destroy();
    };
    client.on('data', (request) => {
      if (dead.has(client)) return undefined;
      const fault = faultFor(request.toString('latin1'), upstream.localPort);
      if (fault === 'drop-request') return hangUp();
      if (fault === 'stall') return client.pause();
      if (fault === 'busy') return client.write('-BUSY by the fault proxy\r\n');
      dropsAnswer = fault === 'drop-response';
      if (typeof fault === 'object') {
        if ('lateMs' in fault) {
          void deliverLate(request, fault.lateMs);
          return hangUp();
        }
        keptBackUntilMs = performance.now() + fault.keepBackMs;
      }
      return upstream.write(request);
    });
    const passOn = async (answer: Buffer) => {
      const waitMs = keptBackUntilMs - performance.now();
      if (waitMs > 0) await sleep(waitMs, undefined, { ref: false });
      client.write(answer);
    };
    upstream.on('data', (answer) => {
      if (dead.has(client)) return undefined;
      if (dropsAnswer) return hangUp();
      passing = passing.then(() => passOn(answer));
      return undefined;
    });
    for (const socket of both) {
      sockets.add(socket);
      socket.on('error', hangUp);
      socket.on('close', () => {
        sockets.delete(socket);
        hangUp();
      });
    }
  });
  const port = await listening(server, await freePort());
  const close = (closed?: () => void) => {
    server.close(closed);
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    goAway: () => close(),
    goDead: () => {
      for (const socket of sockets) dead.add(socket);
    },
    comeBack: async () => void (await listening(server, port)),
    stop: () => new Promise(close),
  };
}
