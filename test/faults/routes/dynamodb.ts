import { dynamodb } from '../../support/backends/dynamodb.js';
import { freshPlace } from '../../support/backends.js';
import { attemptOf, verbOf } from '../../support/lock-verb.js';
import type { Library } from '../clients.js';
import { httpWire } from '../wire/http-wire.js';
import { eachVerb, type Route } from './route.js';

const READS: Readonly<Record<string, string>> = { GetItem: 'get', Scan: 'list' };

/** @param retriesItself whether the client may retry by itself, as it does by default */
export async function dynamoDBRoute(library: Library, retriesItself: boolean): Promise<Route> {
  const engine = await dynamodb.start();
  const { url, place: tableName } = await freshPlace(engine);
  return {
    wire: () =>
      httpWire(url, ({ operation, body }) => ({
        verb: operation === 'UpdateItem' ? verbOf(body) : (READS[operation] ?? operation),
        attempt: attemptOf(body),
      })),
    async connect(wire) {
      const client = new library.DynamoDBClient({ endpoint: wire?.url ?? url, maxAttempts: retriesItself ? 4 : 1 });
      return {
        open(keyPrefix) {
          const options = { client, tableName, keyPrefix };
          return { store: library.dynamoDBStore(options), admin: library.dynamoDBAdminStore(options) };
        },
        close: () => client.destroy(),
      };
    },
    verbsOf: eachVerb,
    stop: engine.stop,
  };
}
