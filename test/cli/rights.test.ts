import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { lockAdmin } from 'single-execution/admin';
import { dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { type ContractHarness, lockStoreContract } from 'single-execution/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { examplesOf } from '../docs/examples.js';
import { dynamoDBHarness } from '../support/backends/dynamodb.js';
import { dynamoDBLocal, freshTable } from '../support/dynamodb-local.js';
import { innerCli } from '../support/inner-cli.js';
import { memberCases } from '../support/member-cases.js';
import { type IamProxy, startIamProxy } from './iam-proxy.js';
import { ran, taken } from './stage.js';

const [FUNCTION = '', OPERATOR = ''] = examplesOf('docs/deploy/rights.md', 'json').map(({ code }) => code);

interface Place {
  readonly tableName: string;
  proxy(policy: string): Promise<IamProxy>;
  stop(): Promise<void>;
}

/** A table behind policies of the page, which are written for it. */
async function place(): Promise<Place> {
  const { client, endpoint } = dynamoDBLocal();
  const tableName = await freshTable(client);
  client.destroy();
  const started: IamProxy[] = [];
  return {
    tableName,
    async proxy(policy) {
      const proxy = await startIamProxy(endpoint, JSON.parse(policy.replace('table/locks', `table/${tableName}`)));
      started.push(proxy);
      return proxy;
    },
    stop: async () => {
      await Promise.all(started.map((proxy) => proxy.stop()));
    },
  };
}

const clientAt = ({ endpoint }: IamProxy) => new DynamoDBClient({ endpoint, maxAttempts: 1 });
/** The verbs that were denied. A request that is answered late is sent again. */
const denied = ({ requests }: IamProxy) => [
  ...new Set(requests.filter(({ isAllowed }) => !isAllowed).map(({ verb }) => verb)),
];

/** As the page tells: all locks of a prefix. */
const PREFIX = FUNCTION.replace('StringEquals', 'StringLike').replace('send-digest', 'tenant/*');

describe('row 134 with the rights of a function', () => {
  let at: Place;
  let harness: ContractHarness;
  let proxy: IamProxy;

  beforeAll(async () => {
    at = await place();
    proxy = await at.proxy(PREFIX);
    const { tableName } = at;
    const keyPrefix = 'tenant/';
    const { client } = dynamoDBLocal();
    harness = {
      ...dynamoDBHarness({ tableName, client, keyPrefix }),
      store: dynamoDBStore({ tableName, client: clientAt(proxy), keyPrefix }),
    };
  });
  afterAll(() => at.stop());

  for (const { name, check } of [...lockStoreContract, ...memberCases]) test.concurrent(name, () => check(harness));

  test('a run of a lock that the policy does not name is denied, and told so', async () => {
    const own = await at.proxy(FUNCTION);
    const store = dynamoDBStore({ tableName: at.tableName, client: clientAt(own) });

    await ran(store, 'send-digest');
    expect(denied(own)).toEqual([]);
    await expect(taken(store, 'send-report')).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
      message: expect.stringContaining(`allow it dynamodb:UpdateItem on table '${at.tableName}'`),
    });
  });
});

const ticks = [1, 2, 3].map((day) => new Date(Date.UTC(2026, 9, day)));

describe('row 134 with the rights of an operator', () => {
  let at: Place;
  let token = '';
  beforeAll(async () => {
    at = await place();
    const { client } = dynamoDBLocal();
    const store = dynamoDBStore({ tableName: at.tableName, client });
    for (const tick of ticks) await ran(store, 'digest', tick);
    await ran(store, 'failed', ticks[0], 'failed');
    await ran(store, 'old', ticks[0]);
    token = String((await taken(store, 'held')).fencingToken);
  });
  afterAll(() => at.stop());

  const tool = (proxy: IamProxy, ...args: readonly string[]) => {
    const address = ['--table', at.tableName, '--region', 'local', '--endpoint', proxy.endpoint];
    return innerCli(args.toSpliced(args[0] === 'table' ? 2 : 1, 0, ...address));
  };

  test.each([
    'ls',
    'show digest',
    'runs digest',
    'why held',
    'check digest --schedule 10000d',
    'open failed',
    'pause digest --until 2099-01-01T00:00:00Z --by ada',
    'resume digest',
    'unlock held --yes --token TOKEN',
    'backfill digest --from 2026-10-02T12:00:00Z --to 2026-10-02T14:00:00Z --schedule 1h',
    'forget failed 2026-10-01T00:00:00.000Z',
    'run --name send-report --at-most 1m -- true',
    'delete old --yes',
    'doctor',
  ])('%s is allowed all that it sends', async (line) => {
    const proxy = await at.proxy(OPERATOR);
    const { code, stdout, stderr } = await tool(proxy, ...line.replace('TOKEN', token).split(' '));

    expect(denied(proxy)).toEqual([]);
    // No newer tick is done, so this one still runs.
    const ended = line.startsWith('forget') ? /^1 .* is not given up: / : /^0 /;
    expect(`${code} ${stderr} ${stdout}`).toMatch(ended);
    expect(stdout).not.toMatch(/^(problem|unknown|warning)/m);
    expect(proxy.requests.length).toBeGreaterThan(0);
  });

  test('table create is allowed with the right that the page adds', async () => {
    const proxy = await at.proxy(OPERATOR.replace('"dynamodb:Scan"', '"dynamodb:CreateTable", "dynamodb:Scan"'));

    expect(await tool(proxy, 'table', 'create')).toMatchObject({ code: 0 });
    expect(denied(proxy)).toEqual([]);
    const denying = await at.proxy(OPERATOR);
    expect((await tool(denying, 'table', 'create')).stderr).toContain('allow dynamodb:CreateTable');
    expect(denied(denying)).toEqual(['CreateTable']);
  });

  test.each([
    ['check', 'Scan', 3],
    ['check digest --schedule 10000d', 'GetItem', 0],
    ['check digset --schedule 10000d', 'GetItem', 1],
  ])('%s needs the right to %s only', async (line, right, code) => {
    const proxy = await at.proxy(OPERATOR.replace(/"Action": \[.*?\]/s, `"Action": ["dynamodb:${right}"]`));

    expect((await tool(proxy, ...line.split(' '))).code).toBe(code);
  });

  test.each(['ls', 'show digest', 'runs digest', 'why digest', 'open failed'])(
    '%s needs no right to write',
    async (line) => {
      const proxy = await at.proxy(OPERATOR.replace(/,\s*"dynamodb:UpdateItem"/, ''));
      const { code, stderr } = await tool(proxy, ...line.split(' '));

      expect({ code, stderr, denied: denied(proxy) }).toMatchObject({ code: 0, denied: [] });
    },
  );

  test.each([
    ['UpdateItem', 'dynamodb:UpdateItem'],
    ['GetItem', 'dynamodb:GetItem'],
    ['Scan', 'dynamodb:Scan'],
    ['DescribeTimeToLive', 'time to live'],
    ['DescribeTable', 'table'],
  ])('doctor names the right to %s when it is missing', async (right, check) => {
    const proxy = await at.proxy(OPERATOR.replace(new RegExp(`"dynamodb:${right}",?`), '').replace(/,(\s*\])/, '$1'));
    const { stdout } = await tool(proxy, 'doctor', '--json');
    const findings = JSON.parse(stdout) as { check: string; status: string; remedy?: string }[];

    expect(denied(proxy)).toEqual([right]);
    const finding = findings.find((one) => one.check === check);
    expect(finding?.status).toMatch(/problem|unknown/);
    expect(`${check} ${finding?.remedy}`).toContain(`dynamodb:${right}`);
  });

  test('a verb of lockAdmin that lacks its right names it', async () => {
    const proxy = await at.proxy(OPERATOR.replace('"dynamodb:Scan",', ''));
    const admin = lockAdmin(dynamoDBAdminStore({ tableName: at.tableName, client: clientAt(proxy) }));

    await expect(admin.list()).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
      message: expect.stringContaining(`allow it dynamodb:Scan on table '${at.tableName}'`),
    });
  });
});
