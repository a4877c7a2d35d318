import { UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { dynamoDBLocal, freshTable } from '../support/dynamodb-local.js';
import { innerCli } from '../support/inner-cli.js';
import { addressAt, CLOSED_PORT, cliStage } from './stage.js';

const stage = cliStage();

/** What doctor finds, by check. */
async function found(...args: readonly string[]) {
  const { code, stdout } = await innerCli(['doctor', '--json', ...args]);
  const findings = JSON.parse(stdout) as { check: string; status: string; found: string; remedy?: string }[];
  return { code, ...Object.fromEntries(findings.map(({ check, ...finding }) => [check, finding])) };
}

describe('on DynamoDB', () => {
  const { client } = dynamoDBLocal();
  afterAll(() => client.destroy());
  const at = (table: string) => ['--table', table, ...stage().on('dynamodb').args.slice(2)];

  test('a table as the stores need it is in order, and nothing is written', async () => {
    const table = await freshTable(client);

    expect(await found(...at(table))).toMatchObject({
      code: 0,
      table: { status: 'ok' },
      'key schema': { status: 'ok', found: 'lockName (S)' },
      indexes: { status: 'ok', found: 'none' },
      replicas: { status: 'ok' },
      'time to live': { status: 'ok', found: 'off' },
      'dynamodb:UpdateItem': { status: 'ok' },
      'dynamodb:GetItem': { status: 'ok' },
      'dynamodb:Scan': { status: 'ok' },
      clock: { status: 'ok' },
    });
    expect((await innerCli(['ls', ...at(table)])).stderr).toBe('no locks\n');

    // Pause the very name that doctor reads: doctor must not end the pause.
    await innerCli(['pause', 'single-execution-doctor', ...at(table)]);
    expect(await found(...at(table))).toMatchObject({ code: 0 });
    expect((await innerCli(['ls', ...at(table)])).stdout).toContain('paused');
  });

  test.each([
    ['lockUntil', 1, { status: 'problem', found: 'on, by lockUntil' }],
    ['expiresAt', 0, { status: 'ok', found: 'on, by expiresAt, which no lock has' }],
  ])(
    'a time to live takes locks away only by an attribute that a lock has: %s',
    async (AttributeName, code, finding) => {
      const TableName = await freshTable(client);
      const TimeToLiveSpecification = { Enabled: true, AttributeName };
      await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));

      expect(await found(...at(TableName))).toMatchObject({ code, 'time to live': finding });
    },
  );

  test('other keys than those given are a problem, with the options that name them', async () => {
    const table = await freshTable(client, { partitionKey: 'PK', sortKey: 'SK' });
    const keys = ['--partition-key', 'PK', '--sort-key', 'SK', '--prefix', 'LOCK#'];
    const remedy = 'pass --partition-key PK --sort-key SK, and set the same as partitionKey and sortKey of stores';

    const shown = 'PK (S), SK (S)';
    const problem = { code: 1, 'key schema': { status: 'problem', found: shown, remedy } };
    expect(await found(...at(table))).toMatchObject(problem);
    expect(await found(...at(table), ...keys)).toMatchObject({
      code: 0,
      'key schema': { status: 'ok', found: shown },
      'dynamodb:UpdateItem': { status: 'ok' },
      'dynamodb:GetItem': { status: 'ok' },
    });
  });

  const REFUSED =
    "index 'by-result' has the key 'result' of type N, and locks have an attribute 'result' of type S: DynamoDB refuses to write it";
  const SHOWN = "index 'by-state' has the key 'state', so it contains locks too";

  test.each([
    [{ attribute: 'result', type: 'N' }, 1, { status: 'problem', found: REFUSED }],
    [{ attribute: 'result', type: 'N', isLocal: true }, 1, { status: 'problem', found: REFUSED }],
    [{ attribute: 'state', type: 'S' }, 0, { status: 'warning', found: SHOWN }],
    [{ attribute: 'state', type: 'S', isLocal: true }, 0, { status: 'warning', found: SHOWN }],
    [{ attribute: 'price', type: 'N' }, 0, { status: 'ok' }],
  ] as const)(
    'row 135: an index %j that would refuse locks is a problem, one that shows locks is a warning',
    async (index, code, indexes) => {
      const table = await freshTable(client, { sortKey: 'sk', indexes: [index] });

      expect(await found(...at(table), '--sort-key', 'sk')).toMatchObject({ code, indexes });
    },
  );

  test('a table that is not there, and a DynamoDB that is not', async () => {
    const missing = { status: 'problem', remedy: expect.stringContaining('table create') };
    expect(await found(...at('no-such-table'))).toMatchObject({ code: 1, table: missing });
    const [args] = addressAt('dynamodb', CLOSED_PORT);
    const away = { status: 'problem', found: expect.stringContaining('ECONNREFUSED') };
    expect(await found(...args)).toMatchObject({ code: 1, table: away });
  });
});

test('of Redis it reports version, role, eviction, persistence and clock', async () => {
  const { args } = stage().on('redis');
  const redis = new Redis(args[1] as string);
  const withPolicy = async (policy: string) => {
    await redis.config('SET', 'maxmemory-policy', policy);
    return found(...args);
  };

  expect(await withPolicy('noeviction')).toMatchObject({
    code: 0,
    script: { status: 'ok' },
    clock: { status: 'ok' },
    version: { status: 'ok', found: expect.stringMatching(/^[78]/) },
    role: { status: 'ok' },
    eviction: { status: 'ok' },
    persistence: { status: 'warning' },
  });
  expect(await withPolicy('allkeys-lru')).toMatchObject({ code: 1, eviction: { status: 'problem' } });
  expect(await withPolicy('volatile-ttl')).toMatchObject({ code: 0, eviction: { status: 'warning' } });
  await redis.config('SET', 'maxmemory-policy', 'noeviction');
  redis.disconnect();
});

test('a Redis that is out of reach is a problem, and its password is not shown', async () => {
  const [args] = addressAt('redis', CLOSED_PORT);
  const { code, stdout, stderr } = await innerCli(['doctor', ...args]);

  expect(code).toBe(1);
  expect(stdout).toMatch(/problem +connection +Redis at 127\.0\.0\.1:\d+ did not answer: connect ECONNREFUSED/);
  expect(stdout + stderr).not.toContain('hunter2');
});
