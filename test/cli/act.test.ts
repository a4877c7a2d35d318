import { randomUUID } from 'node:crypto';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { dynamoDBLocal } from '../support/dynamodb-local.js';
import { innerCli } from '../support/inner-cli.js';
import { startTcpFaultProxy } from '../support/tcp-fault-proxy.js';
import { cliStage, freshName, KINDS, ran, taken } from './stage.js';

const stage = cliStage();
const NINE = new Date('2026-11-20T09:00:00Z');

describe.each(KINDS)('on %s', (kind) => {
  test('unlock --yes --token frees a held lock, and no newer grant', async () => {
    const { run, json, store, admin } = stage().on(kind);
    const name = freshName();
    const { fencingToken } = await taken(store, name);
    const unlock = (token: number) => run('unlock', name, '--yes', '--token', String(token));

    expect(await unlock(fencingToken - 1)).toMatchObject({
      code: 1,
      stderr: `single-execution: nothing was changed: the token of "${name}" is ${fencingToken} now, not ${fencingToken - 1}; look again\n`,
    });
    expect(await admin.get(name)).toMatchObject({ state: 'held' });
    expect(await json('unlock', name, '--yes', '--token', String(fencingToken))).toEqual({
      name,
      status: 'forced',
      fencingToken: fencingToken + 10,
    });
    expect(await unlock(fencingToken + 10)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no run has the lock'),
    });
  });

  test('unlock and delete ask; without a terminal they exit with 2 and change nothing', async () => {
    const { run, store, admin } = stage().on(kind);
    const name = freshName();
    await taken(store, name);
    const before = await admin.get(name);

    for (const args of [
      ['unlock', name],
      ['unlock', name, '--token', '1'],
      ['unlock', name, '--yes'],
      ['delete', name],
    ]) {
      expect(await run(...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--yes') });
    }
    expect(await admin.get(name)).toEqual({ ...before, readAt: expect.any(Date) });
  });

  test('pause and resume', async () => {
    const { run, json, store, admin } = stage().on(kind);
    const name = freshName();
    await ran(store, name);

    expect(await json('pause', name, '--by', 'ada')).toMatchObject({ name, state: 'paused', paused: { by: 'ada' } });
    expect((await run('pause', name, '--until', '2h')).stdout).toMatch(/is paused by .+ until 20/);
    expect(await run('resume', name)).toMatchObject({ code: 0, stdout: `"${name}" is resumed\n` });
    expect(await run('resume', name)).toMatchObject({ code: 0, stdout: `"${name}" was not paused\n` });
    expect(await run('pause', name, '--until', '2020-01-01T00:00:00Z')).toMatchObject({ code: 2 });
    expect(await admin.get(name)).toMatchObject({ state: 'free' });
  });

  test('pause of a name that no job has used says so', async () => {
    const name = freshName();

    expect(await stage().on(kind).run('pause', name)).toMatchObject({
      code: 0,
      stderr: `no job of the name "${name}" has run: check the name\n`,
    });
  });

  test('open, backfill and forget', async () => {
    const { run, json, store } = stage().on(kind);
    const name = freshName();
    await ran(store, name, NINE);
    const range = ['--from', '2026-11-20T06:00:00Z', '--to', '2026-11-20T10:00:00Z', '--schedule', '0 * * * *'];
    const listed = ['06', '07', '08'].map((hour) => `2026-11-20T${hour}:00:00.000Z`);

    expect(await json('open', name)).toEqual([]);
    expect(await json('backfill', name, ...range)).toEqual(listed);
    expect(await json('open', name)).toEqual(listed);
    expect((await run('open', name)).stdout).toBe('2026-11-20T06:00:00Z\n2026-11-20T07:00:00Z\n2026-11-20T08:00:00Z\n');
    expect(await json('forget', name, '2026-11-20T06:00:00Z', NINE.toISOString())).toEqual({
      givenUp: [listed[0]],
      stillRun: [],
    });
    expect(await run('forget', name, '2026-11-20T07:00:00Z', '2026-11-20T10:00:00Z')).toMatchObject({
      code: 1,
      stdout: '2026-11-20T07:00:00Z\n',
      stderr:
        '2026-11-20T10:00:00Z is not given up: it is newer than the newest tick done, so a call for it still runs until a newer tick is done; then forget it again if it is open\n',
    });
    expect(await json('forget', name, '--all')).toEqual({ givenUp: listed.slice(2), stillRun: [] });
    expect(await run('forget', name, '2026-11-20T07:00:00Z')).toMatchObject({
      code: 0,
      stderr: 'none of them was open\n',
    });
    expect(await json('open', name)).toEqual([]);
    const minutely = [...range.slice(0, 4), '--schedule', '* * * * *'];
    expect(await run('backfill', name, ...minutely)).toMatchObject({ code: 1, stderr: expect.stringContaining('100') });
    expect(await json('open', name)).toEqual([]);
    expect(await run('backfill', freshName(), ...range)).toMatchObject({ code: 3 });
    await taken(store, name);
    expect(await run('backfill', name, ...range)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('held by web-1'),
    });
  });

  test('delete retires a lock that no run has', async () => {
    const { run, json, store } = stage().on(kind);
    const [held, done] = [freshName('held'), freshName('done')];
    await taken(store, held);
    await ran(store, done);

    expect(await run('delete', held, '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('a run has it'),
    });
    expect(await run('delete', done, '--yes', '--token', '1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('another token'),
    });
    expect(await json('delete', done, '--yes')).toEqual({ name: done, result: 'deleted' });
    expect(await run('delete', done, '--yes')).toMatchObject({ code: 3 });
  });
});

describe('on a terminal', () => {
  test.each([
    ['y\n', 'forced'],
    ['n\n', 'held'],
    ['\n', 'held'],
  ])('unlock shows the holder and asks; %j', async (answer, state) => {
    const { store, admin, args } = stage().on('redis');
    const name = freshName();
    await taken(store, name, { lockedBy: 'web-1' });
    const { stderr } = await innerCli(['unlock', name, ...args], {}, { typed: answer });

    expect(stderr).toMatch(/web-1 has held the lock for .*, with token \d+/);
    expect(stderr).toContain(`End this run of ${name} by force? [y/N]`);
    expect(await admin.get(name)).toMatchObject({ state });
  });
});

test('table create makes a table of the right keys, and leaves one alone that exists', async () => {
  const { on } = stage();
  const { client } = dynamoDBLocal();
  const tableName = `made-${randomUUID()}`;
  const create = () => innerCli(['table', 'create', '--table', tableName, ...on('dynamodb').args.slice(2), '--json']);

  expect(await create()).toMatchObject({ code: 0, stdout: `{\n  "tableName": "${tableName}"\n}\n` });
  expect(await create()).toMatchObject({ code: 0 });
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
  expect(Table?.KeySchema).toEqual([{ AttributeName: 'lockName', KeyType: 'HASH' }]);
  client.destroy();
});

test('table create tries again while the server is still starting', async () => {
  const { endpoint, client } = dynamoDBLocal();
  const requests: string[] = [];
  const proxy = await startTcpFaultProxy(Number(new URL(endpoint).port), (request) => {
    requests.push(request);
    return requests.length < 3 ? 'drop-request' : undefined;
  });
  const tableName = `made-${randomUUID()}`;
  const address = ['--table', tableName, '--endpoint', `http://127.0.0.1:${proxy.port}`, '--region', 'local'];
  const end = await innerCli(['table', 'create', ...address]);
  await proxy.stop();
  client.destroy();

  expect(end).toMatchObject({ code: 0, stdout: `table ${tableName} is there\n` });
});

test.each([
  ['the region is', { AWS_REGION: undefined }, 'Region is missing; set AWS_REGION, or pass --region'],
  [
    'credentials are',
    { AWS_REGION: 'local', AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined },
    'set credentials that allow dynamodb:CreateTable; DynamoDB Local takes any',
  ],
])('table create says what to do where %s missing', async (_, variables, remedy) => {
  const { cli, on } = stage();
  const [, , , endpoint = ''] = on('dynamodb').args;
  // Hide this machine's own settings of AWS.
  const nowhere = { AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' };
  const env = { ...nowhere, AWS_EC2_METADATA_DISABLED: 'true', ...variables };
  const end = await cli.run(['table', 'create', '--table', 'x', '--endpoint', endpoint], env);

  expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining(`${remedy}\n`) });
});

test('table create reports what DynamoDB refuses', async () => {
  const { on } = stage();

  expect(await innerCli(['table', 'create', '--table', 'xx', ...on('dynamodb').args.slice(2)])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^single-execution: table 'xx' was not made: ValidationException; .+\n$/),
  });
});

describe('next', () => {
  const next = (...args: string[]) => innerCli(['next', ...args]);

  test('lists the coming ticks of a schedule, in its time zone', async () => {
    const { stdout } = await next('0 9 24 12 *', '--time-zone', 'Europe/Berlin', '--count', '2', '--json');
    const ticks = JSON.parse(stdout);

    expect(ticks).toEqual([expect.stringMatching(/^20\d\d-12-24T08:00:00\.000Z$/), expect.any(String)]);
    expect(Date.parse(ticks[0])).toBeGreaterThan(Date.now());
  });

  test.each([['cron(0 9 ? * MON-FRI *)'], ['rate(15 minutes)'], ['15m']])('reads %s', async (schedule) => {
    const { code, stdout } = await next(schedule, '--count', '3');

    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
  });

  test.each([
    [['nonsense'], /schedule is 'nonsense'/],
    [['61 * * * *'], /minutes/],
    [['0 9 * * *', '--time-zone', 'Mars/Olympus'], /Mars\/Olympus/],
    [['0 9 * * *', '--count', '0'], /--count is '0': pass a whole number from 1 to 1000/],
    [['cron(0 9 31 2 ? *)'], /never fires/],
  ])('refuses %j', async (args, problem) => {
    expect(await next(...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(problem) });
  });
});
