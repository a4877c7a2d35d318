import { createServer, type ServerResponse } from 'node:http';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { LockStore } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { manualClock } from 'single-execution/testing';
import { expect, onTestFinished, test } from 'vitest';
import { storeCall } from '../../support/contract-harness.js';
import { listening } from '../../support/loopback.js';
import { claim } from '../../support/one-run.js';

/** A single try, which no timer ends. */
const ONE_TRY = { ...storeCall(manualClock()), budgetMs: 0 };

const ANSWERS: readonly (readonly [string, (answer: ServerResponse) => unknown])[] = [
  ['of length 0', (answer) => answer.writeHead(200, { 'content-length': 0 }).end()],
  ['in no chunk', (answer) => answer.writeHead(200, { 'transfer-encoding': 'chunked' }).end()],
  ['up to the end of the connection', (answer) => answer.socket?.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n')],
  ['without a body by its status', (answer) => answer.writeHead(204).end()],
  ['of null', (answer) => answer.writeHead(200).end('null')],
  ['of a text', (answer) => answer.writeHead(200).end('"ok"')],
];

/** A store whose server answers every request in the same way. */
async function storeBefore(answerWith: (answer: ServerResponse) => unknown): Promise<LockStore> {
  const server = createServer((request, answer) => request.resume().on('end', () => answerWith(answer)));
  const port = await listening(server);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint: `http://127.0.0.1:${port}`, region: 'local', credentials });
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return dynamoDBStore({ tableName: 'locks', client });
}

test.each(ANSWERS)('F3 an answer %s is silence, and no grant', async (_, answerWith) => {
  const store = await storeBefore(answerWith);

  await expect(store.acquire(claim(), ONE_TRY)).rejects.toMatchObject({
    name: 'LockStoreError',
    code: 'UNAVAILABLE',
  });
});

test('an answer that comes in pieces is read whole', async () => {
  const store = await storeBefore((answer) => {
    answer.writeHead(200).write('{"Attributes":{"fencingToken":');
    setImmediate(() => answer.end('{"N":"41"}}}'));
  });

  expect(await store.acquire(claim(), ONE_TRY)).toMatchObject({ status: 'acquired', lease: { fencingToken: 42 } });
});

test('F3 an empty object that names its request is an answer', async () => {
  const store = await storeBefore((answer) => answer.writeHead(200, { 'x-amzn-requestid': '1' }).end('{}'));

  expect(await store.acquire(claim(), ONE_TRY)).toMatchObject({ status: 'acquired' });
});
