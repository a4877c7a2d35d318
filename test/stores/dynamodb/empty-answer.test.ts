import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { manualClock } from 'single-execution/testing';
import { expect, test } from 'vitest';
import { storeCall } from '../../support/contract-harness.js';
import { claim } from '../../support/one-run.js';

/** One try and no more, which no timer ends. */
const ONE_TRY = { ...storeCall(manualClock()), budgetMs: 0 };

const ANSWERS: readonly (readonly [string, (answer: ServerResponse) => unknown])[] = [
  ['of length 0', (answer) => answer.writeHead(200, { 'content-length': 0 }).end()],
  ['in no chunk', (answer) => answer.writeHead(200, { 'transfer-encoding': 'chunked' }).end()],
  ['up to the end of the connection', (answer) => answer.socket?.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n')],
  ['without a body by its status', (answer) => answer.writeHead(204).end()],
  ['of null', (answer) => answer.writeHead(200).end('null')],
  ['of a text', (answer) => answer.writeHead(200).end('"ok"')],
];

test.each(ANSWERS)('F3 an answer %s is silence, and no grant', async (_, answerWith) => {
  const server = createServer((request, answer) => request.resume().on('end', () => answerWith(answer)));
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint: `http://localhost:${port}`, region: 'local', credentials });
  try {
    const store = dynamoDBStore({ tableName: 'locks', client });
    await expect(store.acquire(claim(), ONE_TRY)).rejects.toMatchObject({
      name: 'LockStoreError',
      code: 'UNAVAILABLE',
      cause: { name: 'EmptyAnswer' },
    });
  } finally {
    client.destroy();
    server.close();
  }
});
