import { durableObjects } from '../support/backends/durable-objects.js';
import type { RequestBody } from '../support/lock-verb.js';
import { onServer } from './columns.js';
import { eitherWay, lost, NETWORK } from './faults.js';
import { playTable } from './play-table.js';
import type { Way } from './way.js';
import { httpWire } from './wire/http-wire.js';

/** What the Worker of the tests passes on of the platform's errors. */
const OVERLOADED = JSON.stringify({ message: 'Durable Object is overloaded.', overloaded: true, remote: true });
const RESET = JSON.stringify({ message: 'Durable Object reset because its code was updated.', remote: true });

interface Body extends RequestBody {
  readonly verb?: string;
  readonly asked?: Record<'attemptId' | 'adminId', string> & Record<'claim' | 'lease', { attemptId: string }>;
}

export const way: Way = {
  title: 'Durable Objects',
  server: 'objects in workerd',
  faults: [
    ...NETWORK,
    lost('overloaded', { kind: 'answer', status: 500, text: OVERLOADED }),
    ...eitherWay('the object is reset', { kind: 'answer', status: 500, text: RESET }, { failure: 'F2' }),
  ],
  columnOf: onServer,
  clients: [{ title: 'through a Worker in workerd', connect: (address) => durableObjects.open(address) }],
  async start() {
    const engine = await durableObjects.start();
    const address = engine.at();
    return {
      address,
      wire: () =>
        httpWire(address.url, ({ body }) => {
          const { verb = 'prefix' in body ? 'list' : undefined, asked } = body as Body;
          if (verb === undefined) return undefined;
          const { attemptId } = asked?.claim ?? asked?.lease ?? { attemptId: asked?.attemptId ?? asked?.adminId };
          return { verb, attempt: attemptId };
        }),
      // The first write of a lock also puts its name into the index.
      prepare: (key) => engine.list(key),
      stop: engine.stop,
    };
  },
};

playTable('row 187 F1 F2 F3 F6 F17 F35 F53 F54 F204 the fault table: Durable Objects', way, import.meta);
