import { UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { dynamoDBLocal, freshTable, type TableKeys } from '../support/dynamodb-local.js';
import { innerCli } from '../support/inner-cli.js';
import { freePort } from '../support/kept-server.js';
import { cliStage } from './stage.js';

const stage = cliStage();

/** What doctor finds, by check. */
async function found(...args: readonly string[]) {
  const { code, stdout } = await innerCli(['doctor', '--json', ...args]);
  const findings = JSON.parse(stdout) as { check: string; status: string; found: string; remedy?: string }[];
  return { code, ...Object.fromEntries(findings.map(({ check, ...finding }) => [check, finding])) };
}

describe('on DynamoDB', () => {
  const at = (table: string) => ['--table', table, ...stage().on('dynamodb').args.slice(2)];

  test('a table as the stores need it is in order, and nothing is written', async () => {
    const { client } = dynamoDBLocal();
    const table = await freshTable(client);
    client.destroy();

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

  test('a time to live that takes locks away is a problem; one by an attribute that no lock has is not', async () => {
    const { client } = dynamoDBLocal();
    const by = async (AttributeName: string) => {
      const table = await freshTable(client);
      const TimeToLiveSpecification = { Enabled: true, AttributeName };
      await client.send(new UpdateTimeToLiveCommand({ TableName: table, TimeToLiveSpecification }));
      return at(table);
    };

    expect(await found(...(await by('lockUntil')))).toMatchObject({
      code: 1,
      'time to live': { status: 'problem', found: 'on, by lockUntil' },
    });
    expect(await found(...(await by('expiresAt')))).toMatchObject({
      code: 0,
      'time to live': { status: 'ok', found: 'on, by expiresAt, which no lock has' },
    });
    client.destroy();
  });

  test('other keys than those given are a problem, with the options that name them', async () => {
    const { client } = dynamoDBLocal();
    const table = await freshTable(client, { partitionKey: 'PK', sortKey: 'SK' });
    client.destroy();
    const keys = ['--partition-key', 'PK', '--sort-key', 'SK'];

    expect(await found(...at(table))).toMatchObject({
      code: 1,
      'key schema': {
        status: 'problem',
        found: 'PK (S), SK (S)',
        remedy: 'pass --partition-key PK --sort-key SK, and set the same as partitionKey and sortKey of stores',
      },
    });
    expect(await found(...at(table), ...keys, '--prefix', 'LOCK#')).toMatchObject({
      code: 0,
      'key schema': { status: 'ok', found: 'PK (S), SK (S)' },
      'dynamodb:UpdateItem': { status: 'ok' },
      'dynamodb:GetItem': { status: 'ok' },
    });
  });

  test('row 135 an index that would refuse an attribute of locks is a problem; one that shows locks is a warning', async () => {
    const { client } = dynamoDBLocal();
    const by = async (indexes: TableKeys['indexes']) => {
      const sorted = { sortKey: 'sk', ...(indexes && { indexes }) };
      return found(...at(await freshTable(client, sorted)), '--sort-key', 'sk');
    };

    for (const isLocal of [{}, { isLocal: true } as const]) {
      expect(await by([{ attribute: 'result', type: 'N', ...isLocal }])).toMatchObject({
        code: 1,
        indexes: {
          status: 'problem',
          found:
            "index 'by-result' has the key 'result' of type N, and locks have an attribute 'result' of type S: DynamoDB refuses to write it",
        },
      });
      expect(await by([{ attribute: 'state', type: 'S', ...isLocal }])).toMatchObject({
        code: 0,
        indexes: { status: 'warning', found: "index 'by-state' has the key 'state', so it contains locks too" },
      });
    }
    expect(await by([{ attribute: 'price', type: 'N' }])).toMatchObject({ code: 0, indexes: { status: 'ok' } });
    client.destroy();
  });

  test('a table that is not there, and a DynamoDB that is not', async () => {
    expect(await found(...at('no-such-table'))).toMatchObject({
      code: 1,
      table: { status: 'problem', remedy: expect.stringContaining('table create') },
    });
    const away = ['--table', 'locks', '--region', 'local', '--endpoint', `http://127.0.0.1:${await freePort()}`];
    expect(await found(...away)).toMatchObject({
      code: 1,
      table: { status: 'problem', found: expect.stringContaining('ECONNREFUSED') },
    });
  });
});

describe('on Redis', () => {
  test('reports version, role, eviction, persistence and clock', async () => {
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

  test('one that is out of reach is a problem, and its password is not shown', async () => {
    const { code, stdout, stderr } = await innerCli([
      'doctor',
      '--redis-url',
      `redis://ada:secret@127.0.0.1:${await freePort()}`,
    ]);

    expect(code).toBe(1);
    expect(stdout).toMatch(/problem +connection +Redis at 127\.0\.0\.1:\d+ did not answer: connect ECONNREFUSED/);
    expect(stdout + stderr).not.toContain('secret');
  });
});
