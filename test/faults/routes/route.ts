import type { LockAdminStore, LockStore, MemberStore } from 'single-execution';
import type { Fault } from '../../support/fault-proxy.js';
import type { FileFault } from '../wire/file-wire.js';
import type { HttpFault } from '../wire/http-wire.js';
import type { TcpFault } from '../wire/tcp-wire.js';
import type { Seen, Wire } from '../wire/wire.js';

/** Every fault that one of the ways can do to a request. */
export type AnyFault = Fault | HttpFault | TcpFault | FileFault;

export interface Stores {
  readonly store: LockStore & MemberStore;
  readonly admin: LockAdminStore;
}

export interface Connection {
  open(keyPrefix: string): Stores;
  close(): unknown;
}

/** A client of the table on an engine of the list of backends. */
export interface Route {
  /** Makes a way for one case. @param during tells the verb that the library is running */
  wire(during: () => string): Promise<Wire<AnyFault>>;
  /** Opens a client. @param wire the way that it takes; without it, the client reaches the engine directly */
  connect(wire?: Wire<AnyFault>): Promise<Connection>;
  /** Names the requests of a case as the table does. */
  verbsOf(seen: readonly Seen[]): readonly string[];
  stop(): Promise<unknown>;
}

export const eachVerb: Route['verbsOf'] = (seen) => seen.map(({ verb }) => verb);
