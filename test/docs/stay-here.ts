import net from 'node:net';
import { setTimeout } from 'node:timers/promises';

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

/** Keeps requests on this machine. Any other host answers after 20 ms. */
export function stayHere(answer: () => Response): void {
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const { hostname } = new URL(input instanceof Request ? input.url : input);
    if (hostname === '127.0.0.1') return fetch(input, init);
    await setTimeout(20);
    return answer();
  };
}
