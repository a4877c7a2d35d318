import { durableObjectStore, LockObject, type LockObjectState } from 'single-execution/durable-objects';

/*
 * A Worker for the tests: it passes each request on to the object that the query names.
 */

type State = LockObjectState & { abort(reason: string): void };
type Namespace = {
  idFromName(name: string): object;
  get(id: object): { fetch(request: Request): Promise<Response> };
};

/** The object of a lock, whose record a test can replace, and which fails if a test asks for it. */
export class TestedObject extends LockObject {
  readonly #state: State;

  constructor(state: State) {
    super(state);
    this.#state = state;
  }

  override async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/put') {
      await this.#state.storage.put('lock', { record: (await request.json()) ?? undefined, ended: [] });
      return new Response();
    }
    if (pathname === '/fail-before') throw new Error('inside');
    const response = await super.fetch(request);
    if (pathname === '/fail-after') throw new Error('inside');
    if (pathname === '/reset-after') this.#state.abort('the code was updated');
    return response;
  }
}

/** Objects of other classes. */
export class TalkingObject {
  fetch(): Response {
    return new Response('hello');
  }
}
export class DeafObject {}

// biome-ignore lint/style/noDefaultExport: the default export of its main module is the Worker.
export default {
  async fetch(request: Request, env: Readonly<Record<string, unknown>>): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/kinds') return Response.json(problemsOf(env));
    const namespace = env[searchParams.get('binding') ?? 'LOCKS'] as Namespace;
    const stub = namespace.get(namespace.idFromName(searchParams.get('name') ?? ''));
    const body = await request.text();
    try {
      return await stub.fetch(new Request(`https://lock.object${pathname}`, { method: 'POST', body }));
    } catch (error) {
      // What the platform says of a failed request, for the caller outside.
      const { message } = error as Error;
      return Response.json({ ...(error as object), message }, { status: 500 });
    }
  },
};

/** What `durableObjectStore` says to each binding, and to a stub. */
function problemsOf({ LOCKS, ...env }: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const locks = LOCKS as Namespace;
  const values = { ...env, LOCKS, stub: locks.get(locks.idFromName('any')), env };
  const problemOf = (value: unknown): string => {
    try {
      durableObjectStore(value as never);
      return 'none';
    } catch (error) {
      return String(error);
    }
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, problemOf(value)]));
}
