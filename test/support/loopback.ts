import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/**
 * Lets a server listen on a port of the loopback interface. An HTTP server then keeps idle connections: one that ends them
 * loses the request that a client sends just then.
 *
 * @default a free port
 * @returns the port
 */
export async function listening(server: Server, port = 0): Promise<number> {
  if ('keepAliveTimeout' in server) server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** Closes an HTTP server and all its connections. */
export function closed(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
