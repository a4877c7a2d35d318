import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/cli/store/kinds.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { systemClock } from '../../src/core/values/clock.js';
import { closed, listening } from '../support/loopback.js';
import { call } from '../support/one-run.js';

test('the key of a table is checked once, however often its locks are listed', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const operation = String(request.headers['x-amz-target']).replace(/^.*\./, '');
    asked.push(operation);
    response.setHeader('x-amzn-requestid', `request-${asked.length}`);
    response.end(operation === 'Scan' ? '{"Items":[],"Count":0,"ScannedCount":0}' : '{}');
  });
  onTestFinished(() => closed(server));
  const endpoint = `http://127.0.0.1:${await listening(server)}`;
  const options: Readonly<Record<string, string>> = { table: 'locks', endpoint };
  const line = { text: (option: string) => options[option], has: (option: string) => option in options };
  const { admin, close } = await openStore(line, { env: {}, clock: systemClock, terminal: {} as Terminal });
  onTestFinished(close);

  await admin.list(call());
  await admin.list(call());

  expect(asked.sort()).toEqual(['GetItem', 'Scan', 'Scan']);
});
