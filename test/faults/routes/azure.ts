import { azureTableStore } from 'single-execution/azure';
import { ACCOUNT } from '../../support/azurite.js';
import { azure, azureClient } from '../../support/backends/azure.js';
import { freshPlace } from '../../support/backends.js';
import type { SeenRequest } from '../../support/fault-proxy.js';
import { httpWire } from '../wire/http-wire.js';
import { readStatement, verbsOf } from '../wire/sql-request.js';
import type { Route } from './route.js';

/** A request, as a statement of a database would ask for it. */
function statementIn({ path, body }: SeenRequest): { readonly text: string; readonly values: readonly unknown[] } {
  const { record } = body;
  if (record !== undefined) return { text: 'UPDATE', values: [record] };
  return { text: path.includes('()') ? 'SELECT name' : 'SELECT l.name', values: [] };
}

/** Azurite, by the client that docs/stores/azure.md names. */
export async function azureRoute(): Promise<Route> {
  const engine = await azure.start();
  const { url, place } = await freshPlace(engine);
  return {
    wire: (during) => httpWire(engine.server.url, (request) => readStatement(statementIn(request), during())),
    async connect(wire) {
      const client = azureClient(wire ? `${wire.url}/${ACCOUNT.name}` : url, place);
      return {
        open(keyPrefix) {
          const store = azureTableStore({ client, keyPrefix });
          return { store, admin: store };
        },
        close: () => undefined,
      };
    },
    verbsOf,
    stop: engine.stop,
  };
}
