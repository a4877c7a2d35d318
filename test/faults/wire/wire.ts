/*
 * The way between the clients of one case and a real store. It strikes requests, and keeps a list of what was sent.
 */

/** A request as the table counts it. */
export interface Seen {
  /** The verb of the lock protocol, or `read` for the read with which a verb over a database begins. */
  readonly verb: string;
  /** The verb that the library was running. */
  readonly during?: string;
  /** The id of the attempt that the request names, if it is one of a run. */
  readonly attempt?: string | undefined;
}

export interface Strike {
  readonly on: (seen: Seen) => boolean;
  /** How many of the matching requests are struck. @default 1 */
  readonly times?: number;
  /** Is called while the request is in the fault, before the client notices it. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** @typeParam F the faults that this way can do to a request */
export interface Wire<F> {
  readonly url: string;
  inject(fault: F, strike: Strike): void;
  /** The requests since the start or the last `reset()`, struck or not, oldest first. */
  seen(): readonly Seen[];
  /** The longest time that the server took for an answer, or has taken so far. */
  slowestMs(): number;
  /** Sends the requests that `late` faults kept to the server, oldest first, and waits for its answers. */
  deliverLate(): Promise<unknown>;
  reset(): void;
  /** What the client says of itself in the headers of its last request. Absent unless it speaks HTTP. */
  client?(): string;
  stop(): Promise<void>;
}

interface Injected<F> extends Strike {
  readonly fault: F;
  left: number;
}

/** The faults that still wait for their requests. */
export function strikes<F>() {
  const injected: Injected<F>[] = [];
  return {
    inject(fault: F, strike: Strike): void {
      injected.push({ ...strike, fault, left: strike.times ?? 1 });
    },
    /** Returns the fault of a request. Called once for each request. */
    faultOf(seen: Seen): Injected<F> | undefined {
      const one = injected.find(({ left, on }) => left > 0 && on(seen));
      if (one) one.left--;
      return one;
    },
  };
}
