import { randomUUID } from 'node:crypto';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { dynamoDBLocal } from '../support/dynamodb-local.js';
import { innerCli } from '../support/inner-cli.js';
import { startTcpFaultProxy } from '../support/tcp-fault-proxy.js';
import { cliStage, freshName, KINDS, ran, taken } from './stage.js';

const stage = cliStage();
const NINE = new Date('2026-11-20T09:00:00Z');
const SEVEN = '2026-11-20T07:00:00Z';
const TEN = '2026-11-20T10:00:00Z';
const HOURS = ['--from', '2026-11-20T06:00:00Z', '--to', TEN, '--schedule'];
const HOURLY = [...HOURS, '0 * * * *'];

test.each(KINDS)('on %s pause, resume, backfill, open, forget, unlock and delete act', async (kind) => {
  const { run, json, store, admin } = stage().on(kind);
  const name = freshName();
  const listed = ['06', '07', '08'].map((hour) => `2026-11-20T${hour}:00:00.000Z`);
  await ran(store, name, NINE);

  expect(await json('pause', name, '--by', 'ada')).toMatchObject({ name, state: 'paused', paused: { by: 'ada' } });
  expect((await run('pause', name, '--until', '2h')).stdout).toMatch(/is paused by .+ until 20/);
  expect(await run('resume', name)).toMatchObject({ code: 0, stdout: `"${name}" is resumed\n` });
  expect(await json('open', name)).toEqual([]);
  expect(await json('backfill', name, ...HOURLY)).toEqual(listed);
  expect(await json('open', name)).toEqual(listed);
  expect((await run('open', name)).stdout).toBe('2026-11-20T06:00:00Z\n2026-11-20T07:00:00Z\n2026-11-20T08:00:00Z\n');
  const [six = '', ...others] = listed;
  expect(await json('forget', name, six, NINE.toISOString())).toEqual({ givenUp: [six], stillRun: [] });
  expect(await json('forget', name, '--all')).toEqual({ givenUp: others, stillRun: [] });
  const { fencingToken } = await taken(store, name);
  const forced = { name, status: 'forced', fencingToken: fencingToken + 10 };
  expect(await json('unlock', name, '--yes', '--token', String(fencingToken))).toEqual(forced);
  expect(await json('delete', name, '--yes')).toEqual({ name, result: 'deleted' });
  expect(await admin.get(name)).toBeUndefined();
});

const STATES = {
  'a held lock': (name: string) => taken(stage().on('redis').store, name),
  'a free lock': (name: string) => ran(stage().on('redis').store, name, NINE),
  'no lock': async () => undefined,
};

test.each<[keyof typeof STATES, string, readonly string[], number, string]>([
  ['a held lock', 'unlock', ['--yes', '--token', '1'], 1, 'nothing was changed: the token of "NAME" is'],
  ['a held lock', 'delete', ['--yes'], 1, 'a run has it'],
  ['a held lock', 'backfill', HOURLY, 1, 'held by web-1'],
  // Without a terminal nobody can be asked.
  ['a held lock', 'unlock', [], 2, '--yes'],
  ['a held lock', 'unlock', ['--token', '1'], 2, '--yes'],
  ['a held lock', 'unlock', ['--yes'], 2, '--yes'],
  ['a held lock', 'delete', [], 2, '--yes'],
  ['a free lock', 'unlock', ['--yes', '--token', '1'], 1, 'no run has the lock'],
  ['a free lock', 'delete', ['--yes', '--token', '1'], 1, 'another token'],
  ['a free lock', 'resume', [], 0, '"NAME" was not paused\n'],
  ['a free lock', 'pause', ['--until', '2020-01-01T00:00:00Z'], 2, '2020'],
  ['a free lock', 'backfill', [...HOURS, '* * * * *'], 1, '100'],
  ['a free lock', 'forget', [SEVEN], 0, 'none of them was open\n'],
  [
    'a free lock',
    'forget',
    [TEN],
    1,
    `${TEN} is not given up: it is newer than the newest tick done, so a call for it`,
  ],
  ['no lock', 'backfill', HOURLY, 3, "no lock 'NAME'"],
  ['no lock', 'delete', ['--yes'], 3, "no lock 'NAME'"],
])('of %s, %s %j ends with %i, says why and changes nothing', async (state, verb, args, code, words) => {
  const { run, admin } = stage().on('redis');
  const name = freshName();
  await STATES[state](name);
  const before = await admin.get(name);
  const end = await run(verb, name, ...args);

  expect({ code: end.code, told: end.stdout + end.stderr }).toEqual({
    code,
    told: expect.stringContaining(words.replace('NAME', name)),
  });
  expect(await admin.get(name)).toEqual(before && { ...before, readAt: expect.any(Date) });
});

test('pause of a name that no job has used says so', async () => {
  const name = freshName();
  const stderr = `no job of the name "${name}" has run: check the name\n`;

  expect(await stage().on('redis').run('pause', name)).toMatchObject({ code: 0, stderr });
});

test.each([
  ['y\n', 'forced'],
  ['n\n', 'held'],
  ['\n', 'held'],
])('on a terminal unlock shows the holder and asks; %j', async (answer, state) => {
  const { store, admin, args } = stage().on('redis');
  const name = freshName();
  await taken(store, name, { lockedBy: 'web-1' });
  const { stderr } = await innerCli(['unlock', name, ...args], {}, { typed: answer });

  expect(stderr).toMatch(/web-1 has held the lock for .*, with token \d+/);
  expect(stderr).toContain(`End this run of ${name} by force? [y/N]`);
  expect(await admin.get(name)).toMatchObject({ state });
});

describe('table create', () => {
  const create = (tableName: string, ...more: readonly string[]) =>
    innerCli(['table', 'create', '--table', tableName, ...stage().on('dynamodb').args.slice(2), ...more]);

  test('makes a table of the right keys, leaves one alone that exists, and reports what DynamoDB refuses', async () => {
    const { client } = dynamoDBLocal();
    const tableName = `made-${randomUUID()}`;

    const stdout = `{\n  "tableName": "${tableName}"\n}\n`;
    for (const _ of [1, 2]) expect(await create(tableName, '--json')).toMatchObject({ code: 0, stdout });
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    expect(Table?.KeySchema).toEqual([{ AttributeName: 'lockName', KeyType: 'HASH' }]);
    client.destroy();
    const stderr = expect.stringMatching(/^single-execution: table 'xx' was not made: ValidationException; .+\n$/);
    expect(await create('xx')).toMatchObject({ code: 1, stderr });
  });

  test('tries again while the server is still starting', async () => {
    const { endpoint, client } = dynamoDBLocal();
    let requests = 0;
    const proxy = await startTcpFaultProxy(Number(new URL(endpoint).port), () =>
      ++requests < 3 ? 'drop-request' : undefined,
    );
    const tableName = `made-${randomUUID()}`;
    const address = ['--table', tableName, '--endpoint', `http://127.0.0.1:${proxy.port}`, '--region', 'local'];
    const end = await innerCli(['table', 'create', ...address]);
    await proxy.stop();
    client.destroy();

    expect(end).toMatchObject({ code: 0, stdout: `table ${tableName} is there\n` });
  });

  const NO_KEYS = { AWS_REGION: 'local', AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined };
  test.each([
    ['the region is', { AWS_REGION: undefined }, 'Region is missing; set AWS_REGION, or pass --region'],
    ['credentials are', NO_KEYS, 'set credentials that allow dynamodb:CreateTable; DynamoDB Local takes any'],
  ])('says what to do if %s missing', async (_, variables, remedy) => {
    const { cli, on } = stage();
    const [, , , endpoint = ''] = on('dynamodb').args;
    // Hide this machine's own settings of AWS.
    const nowhere = { AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' };
    const env = { ...nowhere, AWS_EC2_METADATA_DISABLED: 'true', ...variables };
    const end = await cli.run(['table', 'create', '--table', 'x', '--endpoint', endpoint], env);

    expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining(`${remedy}\n`) });
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

    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 3]);
  });

  test.each([
    [['nonsense'], /schedule is 'nonsense'/],
    [['0 9 * * *', '--time-zone', 'Mars/Olympus'], /Mars\/Olympus/],
    [['0 9 * * *', '--count', '0'], /--count is '0': pass a whole number from 1 to 1000/],
    [['cron(0 9 31 2 ? *)'], /never fires/],
  ])('refuses %j', async (args, problem) => {
    expect(await next(...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(problem) });
  });
});
