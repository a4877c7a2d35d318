import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openDynamoDB } from '../../src/cli/store/dynamodb-store.js';
import { systemClock } from '../../src/core/values/clock.js';
import { call } from '../support/one-run.js';

test('the key of a table is checked once, however often its locks are listed', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const operation = String(request.headers['x-amz-target']).replace(/^.*\./, '');
    asked.push(operation);
    response.setHeader('x-amzn-requestid', `request-${asked.length}`);
    response.end(operation === 'Scan' ? '{"Items":[],"Count":0,"ScannedCount":0}' : '{}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { admin, close } = await openDynamoDB(
    { kind: 'dynamodb', table: { tableName: 'locks' }, at: { endpoint } },
    systemClock,
  );
  onTestFinished(close);

  await admin.list(call());
  await admin.list(call());

  expect(asked.sort()).toEqual(['GetItem', 'Scan', 'Scan']);
});
