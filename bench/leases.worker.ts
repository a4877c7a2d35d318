/**
 * The Worker of the tests, with a lease that people write by hand beside our class of objects.
 */

export { default, TestedObject } from '../test/support/objects.worker.js';

interface Lease {
  readonly holder: string;
  readonly until: number;
}

interface State {
  readonly storage: {
    get(key: string): Promise<Lease | undefined>;
    put(key: string, lease: Lease): Promise<void>;
    delete(key: string): Promise<boolean>;
  };
}

export class LeaseObject {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async fetch(request: Request): Promise<Response> {
    const { take, give, leaseMs = 0 } = (await request.json()) as { take?: string; give?: string; leaseMs?: number };
    const { storage } = this.#state;
    const lease = await storage.get('lease');
    if (take === undefined) return Response.json(lease?.holder === give && (await storage.delete('lease')));
    if (lease && lease.until > Date.now()) return Response.json(false);
    await storage.put('lease', { holder: take, until: Date.now() + leaseMs });
    return Response.json(true);
  }
}
