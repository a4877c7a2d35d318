import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/**
 * What happens to a request: the connection is reset before the server sees it (`drop-request`) or once the server has
 * answered it (`drop-response`), or it is answered with this error of Redis's and never seen by the server (`busy`).
 */
export type TcpFault = 'drop-request' | 'drop-response' | 'busy';

export interface TcpFaultProxy {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Stands between one client and a real Redis, for clients that send one command at a time: what comes in one piece is
 * one request.
 *
 * @param faultFor asked once for each request
 */
export async function startTcpFaultProxy(
  redisPort: number,
  faultFor: (request: string) => TcpFault | undefined,
): Promise<TcpFaultProxy> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: '127.0.0.1', port: redisPort, noDelay: true });
    const both = [client, upstream];
    let dropsAnswer = false;
    const hangUp = () => {
      client.resetAndDestroy();
      upstream.destroy();
    };
    client.on('data', (request) => {
      const fault = faultFor(request.toString('latin1'));
      if (fault === 'drop-request') return hangUp();
      if (fault === 'busy') return client.write('-BUSY by the fault proxy\r\n');
      dropsAnswer = fault === 'drop-response';
      return upstream.write(request);
    });
    upstream.on('data', (answer) => (dropsAnswer ? hangUp() : client.write(answer)));
    for (const socket of both) {
      sockets.add(socket);
      socket.on('error', hangUp);
      socket.on('close', () => {
        sockets.delete(socket);
        hangUp();
      });
    }
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
