import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REFRESH_MS } from '../../../src/cli/console/paced-admin.js';
import { cliStage, freshName, ran, taken } from '../stage.js';
import { readText, servedConsole, startedConsole } from './stage.js';

const stage = cliStage();
const at = (day: number, hour = 0) => new Date(Date.UTC(2026, 10, day, hour));
const path = (name: string, act?: string) => `/api/locks/${encodeURIComponent(name)}${act ? `/${act}` : ''}`;

const redis = () => stage().on('redis');

test('tells all locks, and one', async () => {
  const name = freshName('a job/with "signs" %2F');
  await ran(redis().store, name, at(20));
  const { ask } = await startedConsole(stage(), 'redis');

  const all = await ask('/api/locks');
  expect(all).toMatchObject({ status: 200, body: expect.arrayContaining([expect.objectContaining({ name })]) });
  const body = {
    name,
    state: 'free',
    doneTick: at(20).toISOString(),
    leaseMs: 60_000,
    runs: [{ status: 'succeeded' }],
  };
  expect(await ask(path(name))).toMatchObject({ status: 200, body });
  expect(await ask(path(freshName()))).toMatchObject({ status: 404, body: { error: expect.any(String) } });
});

test('keeps the connection of a page until its next request', async () => {
  const { url, token } = await servedConsole(stage(), 'redis');
  const { headers } = await fetch(new URL('/api/console', url), { headers: { authorization: `Bearer ${token}` } });

  expect(Number(/^timeout=(\d+)$/.exec(String(headers.get('keep-alive')))?.[1]) * 1_000).toBeGreaterThan(REFRESH_MS);
});

// page.test.ts makes the other acts.
test('pauses until an instant, forces the grant that was seen, and deletes', async () => {
  const { store, admin } = redis();
  const name = freshName();
  const { fencingToken } = await taken(store, name);
  const { ask } = await servedConsole(stage(), 'redis');
  const until = new Date(Date.now() + 3_600_000);

  const listed = async () => (await ask('/api/locks')).body;
  expect(await listed()).toContainEqual(expect.objectContaining({ name, state: 'held' }));
  const paused = { until: until.toISOString(), by: 'ada' };
  expect(await ask(path(name, 'pause'), { body: paused })).toMatchObject({ status: 200, body: { paused } });
  expect(await admin.get(name)).toMatchObject({ state: 'paused', paused: { until, by: 'ada' } });
  expect(await listed()).toContainEqual(expect.objectContaining({ name, state: 'paused' }));
  expect(await ask(path(name, 'resume'), { body: {} })).toEqual({ status: 200, body: { result: 'resumed' } });
  const forced = { status: 'forced', fencingToken: fencingToken + 10 };
  expect(await ask(path(name, 'unlock'), { body: { fencingToken } })).toEqual({ status: 200, body: forced });
  const body = { fencingToken: fencingToken + 10 };
  expect(await ask(path(name, 'delete'), { body })).toEqual({ status: 200, body: { result: 'deleted' } });
  expect(await admin.get(name)).toBeUndefined();
});

const HOURS = { from: at(20).toISOString(), to: at(20, 3).toISOString() };
const GIVEN = { ...HOURS, schedule: '0 * * * *' };

test.each<['free' | 'held' | 'unused', string, unknown, number]>([
  ['free', 'pause', { until: 'tomorrow' }, 400],
  ['free', 'pause', { until: at(1).toISOString() }, 400],
  ['free', 'pause', null, 400],
  ['free', 'pause', [], 400],
  ['free', 'unlock', {}, 400],
  ['free', 'unlock', { fencingToken: '7' }, 400],
  ['free', 'delete', { fencingToken: -1 }, 400],
  ['free', 'backfill', {}, 400],
  ['free', 'backfill', HOURS, 400],
  ['free', 'backfill', { ...HOURS, schedule: 'at dawn' }, 400],
  ['held', 'unlock', { fencingToken: 1 }, 409],
  ['held', 'delete', { fencingToken: 1 }, 409],
  ['held', 'backfill', GIVEN, 409],
  ['unused', 'backfill', GIVEN, 404],
  ['unused', 'resume', {}, 404],
  ['unused', 'unlock', { fencingToken: 1 }, 404],
])('of a lock that is %s, %s of %j is refused with words, and changes nothing', async (state, act, body, status) => {
  const { store, admin } = redis();
  const name = freshName();
  if (state !== 'unused') await ran(store, name, at(20));
  if (state === 'held') await taken(store, name);
  const before = await admin.get(name);
  const { ask } = await servedConsole(stage(), 'redis');

  expect(await ask(path(name, act), { body })).toMatchObject({ status, body: { error: expect.any(String) } });
  expect(await admin.get(name)).toEqual(before && { ...before, readAt: expect.any(Date) });
});

test('the API takes no body as an empty object, and names what is not there and what is no method of its own', async () => {
  const name = freshName();
  await ran(redis().store, name);
  const { ask } = await startedConsole(stage(), 'redis', '--port', '0');

  expect(await ask(path(name, 'pause'), { method: 'POST' })).toMatchObject({ status: 200, body: { state: 'paused' } });
  for (const [method, at] of [
    ['POST', '/api/locks'],
    ['OPTIONS', '/api/locks'],
    ['PUT', path(name)],
    ['GET', path(name, 'pause')],
  ] as const) {
    expect(await ask(at, { method })).toMatchObject({ status: 405, body: { error: expect.stringContaining('use') } });
  }
  for (const at of ['//', '/\\', 'http://[']) expect(await ask(at)).toMatchObject({ status: 400 });
  for (const at of ['/api/locks/%', '/api/locks/%ED%A0%80']) expect(await ask(at)).toMatchObject({ status: 404 });
  const by = 'a'.repeat(10_000);
  const tooLong = { status: 413, body: { error: 'the body is too long' } };
  expect(await ask(path(name, 'pause'), { body: { by } })).toMatchObject(tooLong);
});

// gate.test.ts has all that the gate refuses.
test('the server asks its gate, and with --read-only it changes nothing', async () => {
  const { store, admin } = redis();
  const name = freshName();
  await ran(store, name);
  const { ask } = await servedConsole(stage(), 'redis');

  const headers = { authorization: 'Bearer wrong' };
  expect(await ask(path(name, 'pause'), { body: {}, headers })).toMatchObject({ status: 401 });
  const readOnly = await startedConsole(stage(), 'redis', '--read-only');
  expect(await readOnly.ask(path(name))).toMatchObject({ status: 200 });
  for (const act of ['pause', 'resume', 'unlock', 'backfill', 'delete']) {
    expect(await readOnly.ask(path(name, act), { body: { fencingToken: 1 } })).toMatchObject({ status: 403 });
  }
  expect(await admin.get(name)).toMatchObject({ state: 'free' });
});

test('the page holds no data, a report all of them, whatever they say', async () => {
  const { cli, on } = stage();
  const { run, store } = on('redis');
  const name = freshName('</script><b>');
  await ran(store, name);
  const file = join(cli.folder, 'report.html');

  const { ask } = await servedConsole(stage(), 'redis');
  expect((await ask('/')).body).not.toContain(name);
  expect(await run('console', '--export', file)).toMatchObject({ code: 0, stdout: expect.stringContaining(file) });
  const report = await readText(file);
  const data = /<script type="application\/json" id="report">(.*?)<\/script>/s.exec(report)?.[1];
  expect(JSON.parse(data ?? '').locks).toContainEqual(expect.objectContaining({ name }));
});

test('--export overwrites a file with --force alone', async () => {
  const { cli, on } = stage();
  const { run } = on('redis');
  const file = join(cli.folder, `${freshName('report')}.html`);
  await writeFile(file, 'mine');

  const stderr = expect.stringContaining(`${file}: it is there already; pass --force to overwrite it`);
  expect(await run('console', '--export', file)).toMatchObject({ code: 1, stdout: '', stderr });
  expect(await readText(file)).toBe('mine');
  expect(await run('console', '--export', file, '--force')).toMatchObject({ code: 0 });
  expect(await readText(file)).toContain('<title>Locks</title>');
});

test.each([
  [['--force'], 2, '--force is for --export'],
  [['--port', '65536'], 2, "--port is '65536'"],
  [['--export', 'r.html', '--read-only'], 2, '--read-only has no effect with --export'],
  [['--export', '/nowhere/r.html'], 1, 'cannot be written'],
])('console %j ends with %i and says why', async (args, code, words) => {
  const { stderr, ...end } = await redis().run('console', ...args);

  expect(end).toMatchObject({ code, stdout: '' });
  expect(stderr).toContain(words);
});

test('a port that is taken is named', async () => {
  const { port } = await servedConsole(stage(), 'redis');
  const second = await redis().run('console', '--port', String(port));

  expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining(`port ${port}: EADDRINUSE`) });
});
