import { startTcpFaultProxy, type TcpFault } from '../tcp-fault-proxy.js';
import type { ChooseFault, Network } from './backend.js';

const DELAY_MS = 400;
/** Longer than a store waits for the answer to one try. */
const HANG_MS = 1_500;

const FAULTS: Readonly<Record<string, TcpFault>> = {
  'drop-request': 'drop-request',
  'drop-response': 'drop-response',
  [`kept back ${DELAY_MS} ms`]: { keepBackMs: DELAY_MS },
  [`kept back ${HANG_MS} ms`]: { keepBackMs: HANG_MS },
};

/** What is sent to a database with a server, and how the server ends a connection. */
export interface Conversation {
  /** The database's own word for a server that ends the connection, and never reads the statement. */
  readonly cut: string;
  /** Whether a message is a statement. A connection without one is about to log in: the server does not list it yet. */
  isStatement(sent: string): boolean;
  /** Whether a statement is a write that must not come late. */
  isLimited(sent: string): boolean;
  /** Lets the server end the connection from this port. */
  end(from: number | undefined): Promise<unknown>;
  stop(): Promise<unknown>;
}

/** The names of the faults, with the database's own word for a connection that the server ends. */
export const faultsOf = (cut: string): readonly string[] => [...Object.keys(FAULTS), cut];

/** Puts a network before a database. */
export async function sqlNetwork(
  { port, url }: { readonly port: number; readonly url: string },
  choose: ChooseFault,
  { cut, isStatement, isLimited, end, stop }: Conversation,
): Promise<Network> {
  const written = new Set<string>();
  /** A write that must not come late, for an attempt that has been written before; the second try of an acquire too. */
  const isRenewal = (sent: string) => {
    const attempt = /"attemptId":"([^"]+)"/.exec(sent)?.[1];
    if (attempt === undefined) return false;
    const isAgain = written.has(attempt);
    written.add(attempt);
    return isAgain && isLimited(sent);
  };
  const proxy = await startTcpFaultProxy(port, (sent, from) => {
    const fault = choose(isRenewal(sent));
    if (fault !== cut) return FAULTS[fault ?? ''];
    if (!isStatement(sent)) return undefined;
    void end(from);
    return 'stall';
  });
  return {
    url: String(Object.assign(new URL(url), { port: proxy.port })),
    async stop() {
      await proxy.stop();
      await stop();
    },
  };
}
