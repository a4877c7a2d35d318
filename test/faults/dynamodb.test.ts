import { dynamodb } from '../support/backends/dynamodb.js';
import { freshPlace } from '../support/backends.js';
import { throttle } from '../support/fault-proxy.js';
import { attemptOf, verbOf } from '../support/lock-verb.js';
import { eitherWay, HTTP, lost, throttled } from './faults.js';
import { playTable } from './play-table.js';
import { TABLE } from './table.js';
import type { Client, Way } from './way.js';
import { httpWire } from './wire/http-wire.js';

const READS: Readonly<Record<string, string>> = { GetItem: 'get', Scan: 'list' };
const EXCEEDED = 'ProvisionedThroughputExceededException';
/** Another region was writing to the same item. */
const CONFLICT = 'ReplicatedWriteConflictException';

/** @param maxAttempts how often the client itself sends a request */
const sending = (maxAttempts: number): Client['connect'] =>
  function connect({ url: endpoint, place: tableName }, { library }) {
    const client = new library.DynamoDBClient({ endpoint, maxAttempts });
    return {
      prefixed(keyPrefix) {
        const options = { client, tableName, keyPrefix };
        return { store: library.dynamoDBStore(options), admin: library.dynamoDBAdminStore(options) };
      },
      close: () => client.destroy(),
    };
  };

export const way: Way = {
  title: 'DynamoDB',
  server: 'DynamoDB Local',
  faults: [
    ...HTTP,
    { title: 'Date header of the second before', kind: 'answered', fault: 'stale date' },
    throttled('ThrottlingException', throttle, { ever: true }),
    throttled(EXCEEDED, { kind: 'error', at: 'before', status: 400, type: EXCEEDED }),
    { ...lost(CONFLICT, { kind: 'error', status: 400, type: CONFLICT }), failure: 'F78' },
    ...eitherWay('status 500', { kind: 'error', status: 500, type: 'InternalServerError' }, { failure: 'F2' }),
    ...eitherWay('status 503', { kind: 'error', status: 503, type: 'ServiceUnavailable' }, { failure: 'F2' }),
  ],
  columnOf: (operation) => TABLE[operation],
  clients: [
    { title: 'the newest client', age: 'newest', connect: sending(1) },
    { title: 'the oldest client', age: 'oldest', connect: sending(1) },
    { title: 'a tree with several copies of its core', age: 'copied', connect: sending(1) },
    // As it does by default.
    { title: 'a client that tries again by itself', age: 'newest', retriesItself: true, connect: sending(4) },
  ],
  async start() {
    const engine = await dynamodb.start();
    const address = await freshPlace(engine);
    const read = () =>
      httpWire(address.url, ({ operation, body }) => ({
        verb: operation === 'UpdateItem' ? verbOf(body) : (READS[operation] ?? operation),
        attempt: attemptOf(body),
      }));
    return { address, wire: read, stop: engine.stop };
  },
};

playTable('rows 8, 78, 136 and 187 F1 F2 F3 F6 F17 F35 F53 F54 F78 F122 the fault table: DynamoDB', way, import.meta);
