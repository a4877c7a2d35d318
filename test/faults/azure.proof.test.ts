import { ACCOUNT } from '../support/azurite.js';
import { azure, azureError } from '../support/backends/azure.js';
import { freshPlace } from '../support/backends.js';
import type { SeenRequest } from '../support/fault-proxy.js';
import { onDatabase } from './columns.js';
import { eitherWay, HTTP, throttled } from './faults.js';
import { playTable } from './play-table.js';
import type { Way } from './way.js';
import { httpWire } from './wire/http-wire.js';
import { readStatement, type Statement } from './wire/sql-request.js';

/** A request, as a statement of a database would ask for it. */
function statementIn({ path, body }: SeenRequest): Statement {
  const { record } = body;
  if (record !== undefined) return { text: 'UPDATE', values: [record] };
  return { text: path.includes('()') ? 'SELECT name' : 'SELECT l.name', values: [] };
}

export const way: Way = {
  title: 'Azure',
  server: 'Azurite',
  faults: [
    ...HTTP,
    throttled('status 503 and ServerBusy', azureError('before', 503, 'ServerBusy'), { ever: true }),
    throttled('status 429', azureError('before', 429, 'TooManyRequests')),
    ...eitherWay('status 500', azureError('before', 500, 'InternalError'), { failure: 'F2' }),
  ],
  columnOf: onDatabase,
  clients: [{ title: '@azure/data-tables', connect: (address) => azure.open(address) }],
  async start() {
    const engine = await azure.start();
    const address = await freshPlace(engine);
    return {
      address,
      async wire(during) {
        const wire = await httpWire(address.url, (request) => readStatement(statementIn(request), during()));
        return { ...wire, url: `${wire.url}/${ACCOUNT.name}` };
      },
      stop: engine.stop,
    };
  },
};

playTable('row 187 F1 F2 F3 F6 F17 F35 F53 F54 the fault table: Azure Table Storage', way, import.meta);
