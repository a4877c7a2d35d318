import net from 'node:net';

/** Redirects connections from a store's usual port to the port of the test's server. */
export function redirectPorts(ports: Readonly<Record<number, number>>): void {
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
    // Node passes the arguments to itself as one list.
    const [target] = (Array.isArray(args[0]) ? args[0] : args) as [{ port?: number }];
    const port = ports[Number(target.port)];
    if (port !== undefined) target.port = port;
    return Reflect.apply(connect, this, args);
  } as typeof connect;
}
