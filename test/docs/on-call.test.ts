import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Execution, withSingleExecution } from 'single-execution';
import { withSingleExecution as withRoute } from 'single-execution/http';
import { memoryStore } from 'single-execution/memory';
import { lambdaContext } from 'single-execution/testing';
import { expect, test } from 'vitest';

/*
 * docs/on-call.md, "Run a failed job again, or a missed tick": the requests that it sends to a function and to a route
 * run that tick.
 */

const [, section = ''] =
  /\n## Run a failed job again, or a missed tick\n(.*?)\n## /s.exec(
    readFileSync(join(import.meta.dirname, '../../docs/on-call.md'), 'utf8'),
  ) ?? [];
const TICK = new Date('2026-11-20T02:00:00Z');
const tickOf = ({ tick }: Execution) => tick;

test('the payload for Lambda runs its tick, once', async () => {
  const [, payload = ''] = /--payload '(.*?)'/.exec(section) ?? [];
  const handler = withSingleExecution(async (_event: unknown, _context, execution) => tickOf(execution), {
    name: 'send-digest',
    store: memoryStore(),
    observers: [],
  });

  expect(await handler(JSON.parse(payload), lambdaContext())).toEqual(TICK);
  expect(await handler(JSON.parse(payload), lambdaContext())).toMatchObject({ reason: 'already-executed' });
});

test('the headers for a route run its tick, once', async () => {
  const headers = [...section.matchAll(/-H ['"](.*?): (.*?)['"]/g)].map(
    ([, name = '', value = '']): [string, string] => [name, value.replace('$CRON_SECRET', 'secret')],
  );
  const GET = withRoute(async (_request, _context, execution) => Response.json(tickOf(execution)), {
    name: 'send-digest',
    store: memoryStore(),
    maxDuration: '1m',
    tick: 'event',
    secret: 'secret',
    observers: [],
  });
  const call = async () => (await GET(new Request('https://example.com/api/send-digest', { headers }))).json();

  expect(headers).toHaveLength(2);
  expect(await call()).toBe(TICK.toISOString());
  expect(await call()).toMatchObject({ reason: 'already-executed' });
});
