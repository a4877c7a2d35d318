import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliStage, freshName, KINDS, ran, taken } from '../stage.js';
import { readText, servedConsole, startedConsole } from './stage.js';

const stage = cliStage();
const at = (day: number, hour = 0) => new Date(Date.UTC(2026, 10, day, hour));
const path = (name: string, act?: string) => `/api/locks/${encodeURIComponent(name)}${act ? `/${act}` : ''}`;

describe.each(KINDS)('the console over %s', (kind) => {
  test('tells all locks, and one', async () => {
    const { store } = stage().on(kind);
    const name = freshName('a job/with "signs" %2F');
    await ran(store, name, at(20));
    const { ask } = await startedConsole(stage(), kind);

    const all = await ask('/api/locks');
    expect(all).toMatchObject({ status: 200, body: expect.arrayContaining([expect.objectContaining({ name })]) });
    expect(await ask(path(name))).toMatchObject({
      status: 200,
      body: { name, state: 'free', doneTick: at(20).toISOString(), leaseMs: 60_000, runs: [{ status: 'succeeded' }] },
    });
    expect(await ask(path(freshName()))).toMatchObject({ status: 404, body: { error: expect.any(String) } });
  });

  test('pauses and resumes', async () => {
    const { store, admin } = stage().on(kind);
    const name = freshName();
    await ran(store, name);
    const { ask } = await servedConsole(stage(), kind);
    const until = new Date(Date.now() + 3_600_000);

    const paused = { until: until.toISOString(), by: 'ada' };
    expect(await ask(path(name, 'pause'), { body: paused })).toMatchObject({ status: 200, body: { paused } });
    expect(await admin.get(name)).toMatchObject({ state: 'paused', paused: { until, by: 'ada' } });
    expect(await ask(path(name, 'resume'), { body: {} })).toEqual({ status: 200, body: { result: 'resumed' } });
    expect(await admin.get(name)).toMatchObject({ state: 'free' });
    expect(await ask(path(freshName(), 'resume'), { body: {} })).toMatchObject({ status: 404 });
  });

  test('releases the grant that was seen, and no newer one', async () => {
    const { store, admin } = stage().on(kind);
    const name = freshName();
    const { fencingToken } = await taken(store, name);
    const { ask } = await servedConsole(stage(), kind);

    expect(await ask(path(name, 'unlock'), { body: { fencingToken: fencingToken - 1 } })).toMatchObject({
      status: 409,
    });
    expect(await admin.get(name)).toMatchObject({ state: 'held' });
    expect(await ask(path(name, 'unlock'), { body: { fencingToken } })).toEqual({
      status: 200,
      body: { status: 'forced', fencingToken: fencingToken + 10 },
    });
    expect(await admin.get(name)).toMatchObject({ state: 'forced' });
  });

  test('lists ticks as open, and not while a run holds the lock', async () => {
    const { store, admin } = stage().on(kind);
    const [free, held] = [freshName(), freshName()];
    await ran(store, free, at(20, 5));
    await taken(store, held);
    const { ask } = await servedConsole(stage(), kind);
    const body = { from: at(20).toISOString(), to: at(20, 3).toISOString(), schedule: '0 * * * *' };

    expect(await ask(path(free, 'backfill'), { body })).toEqual({
      status: 200,
      body: { listed: [at(20), at(20, 1), at(20, 2)].map((tick) => tick.toISOString()) },
    });
    expect(await admin.open(free)).toEqual([at(20), at(20, 1), at(20, 2)]);
    expect(await ask(path(held, 'backfill'), { body })).toMatchObject({ status: 409 });
    expect(await ask(path(freshName(), 'backfill'), { body })).toMatchObject({ status: 404 });
  });

  test('deletes a lock that is not held', async () => {
    const { store, admin } = stage().on(kind);
    const name = freshName();
    const { fencingToken } = await taken(store, name);
    const { ask } = await servedConsole(stage(), kind);

    expect(await ask(path(name, 'delete'), { body: { fencingToken } })).toMatchObject({ status: 409 });
    await admin.forceRelease(name, { fencingToken });
    const seen = { fencingToken: fencingToken + 10 };
    expect(await ask(path(name, 'delete'), { body: seen })).toEqual({ status: 200, body: { result: 'deleted' } });
    expect(await admin.get(name)).toBeUndefined();
  });
});

test.each<[string, unknown]>([
  ['pause', { until: 'tomorrow' }],
  ['pause', { until: at(1).toISOString() }],
  ['pause', null],
  ['pause', []],
  ['unlock', {}],
  ['unlock', { fencingToken: '7' }],
  ['delete', { fencingToken: -1 }],
  ['backfill', {}],
  ['backfill', { from: at(20).toISOString(), to: at(21).toISOString() }],
  ['backfill', { from: at(20).toISOString(), to: at(21).toISOString(), schedule: 'at dawn' }],
])('%s of %j is refused with words, and changes nothing', async (act, body) => {
  const { store, admin } = stage().on('redis');
  const name = freshName();
  await ran(store, name, at(20));
  const before = await admin.get(name);
  const { ask } = await servedConsole(stage(), 'redis');

  expect(await ask(path(name, act), { body })).toMatchObject({ status: 400, body: { error: expect.any(String) } });
  expect(await admin.get(name)).toEqual({ ...before, readAt: expect.any(Date) });
});

test('the API takes no body as an empty object, and names what is not there and what is no method of its own', async () => {
  const { store } = stage().on('redis');
  const name = freshName();
  await ran(store, name);
  const { ask } = await startedConsole(stage(), 'redis', '--port', '0');

  expect(await ask(path(name, 'pause'), { method: 'POST' })).toMatchObject({ status: 200, body: { state: 'paused' } });
  expect(await ask(path(freshName(), 'unlock'), { body: { fencingToken: 1 } })).toMatchObject({ status: 404 });
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
  expect(await ask(path(name, 'pause'), { body: { by } })).toMatchObject({
    status: 413,
    body: { error: 'the body is too long' },
  });
});

test('a page of another site, a wrong token and another Host reach nothing', async () => {
  const { store, admin } = stage().on('redis');
  const name = freshName();
  await ran(store, name);
  const { ask } = await servedConsole(stage(), 'redis');
  const pause = (headers: Record<string, string>) => ask(path(name, 'pause'), { body: {}, headers });

  expect(await pause({ authorization: 'Bearer wrong' })).toMatchObject({ status: 401 });
  expect(await pause({ host: 'rebound.example' })).toMatchObject({ status: 403 });
  expect(await pause({ origin: 'http://evil.example' })).toMatchObject({ status: 403 });
  expect(await ask('/api/locks', { headers: { authorization: '' } })).toMatchObject({ status: 401 });
  expect(await admin.get(name)).toMatchObject({ state: 'free' });
});

test('--read-only tells everything and changes nothing', async () => {
  const { store, admin } = stage().on('redis');
  const name = freshName();
  await ran(store, name);
  const { ask } = await startedConsole(stage(), 'redis', '--read-only');

  expect(await ask(path(name))).toMatchObject({ status: 200 });
  for (const act of ['pause', 'resume', 'unlock', 'backfill', 'delete']) {
    expect(await ask(path(name, act), { body: { fencingToken: 1 } })).toMatchObject({ status: 403 });
    const headers = { authorization: '' };
    expect(await ask(path(name, act), { method: 'POST', headers })).toMatchObject({ status: 403 });
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

  expect(await run('console', '--export', file)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`${file}: it is there already; pass --force to overwrite it`),
  });
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
  const { stderr, ...end } = await stage()
    .on('redis')
    .run('console', ...args);

  expect(end).toMatchObject({ code, stdout: '' });
  expect(stderr).toContain(words);
});

test('a port that is taken is named, and the process ends with 0 when it is told to', async () => {
  const { cli, on } = stage();
  const { port } = await startedConsole(stage(), 'redis');
  const second = await on('redis').run('console', '--port', String(port));

  expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining(`port ${port}: EADDRINUSE`) });
  const third = cli.start(['console', ...on('redis').args]);
  third.child.stdout?.once('data', () => third.child.kill('SIGINT'));
  expect((await third.ended).code).toBe(0);
});
