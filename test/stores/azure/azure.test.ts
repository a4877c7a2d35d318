import {
  AzureNamedKeyCredential,
  AzureSASCredential,
  generateTableSas,
  TableClient,
  type TableSasPermissions,
  TableServiceClient,
} from '@azure/data-tables';
import type { LockAdminStore, LockStore, LockStoreError } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { type AzureTableClient, azureTableStore, createAzureTable } from 'single-execution/azure';
import { afterAll, describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import { newAttemptId } from '../../../src/core/values/names.js';
import { ACCOUNT } from '../../support/azurite.js';
import { azureClient, azureError, azureKey } from '../../support/backends/azure.js';
import { startBackends } from '../../support/backends/stage.js';
import { callOfTries } from '../../support/contract-harness.js';
import { type SeenRequest, startFaultProxy } from '../../support/fault-proxy.js';
import { innerCli } from '../../support/inner-cli.js';
import { call, claim, done, grant, runOn } from '../../support/one-run.js';
import { failureOf } from '../../support/settled.js';

const stage = await startBackends('azure');
const { engine, address, admin } = stage.on('azure');
afterAll(() => stage.stop());
const { url, place } = address;

const KEY = new AzureNamedKeyCredential(ACCOUNT.name, ACCOUNT.key);
const ONCE = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
const HOUR = 3_600_000;
/** The header that all copies of a request share. */
const ID = 'x-ms-client-request-id';

const clientWith = (sas: string, at = url) => new TableClient(at, place, new AzureSASCredential(sas), ONCE);
const sasFor = (permissions: TableSasPermissions, fromNowMs = HOUR) =>
  generateTableSas(place, KEY, { permissions, expiresOn: new Date(Date.now() + fromNowMs) });
/** A client whose credential fails as those of @azure/identity do, which need the network. */
const identityThat = (statusCode: number) => {
  const failed = Object.assign(new Error('hunter2'), { name: 'AuthenticationError', statusCode });
  const login = { getToken: () => Promise.reject(failed) };
  return new TableClient('https://acme.table.core.windows.net', place, login, ONCE);
};
const RIGHTS = { query: true, add: true, update: true };

/** A proxy before Azurite. */
async function proxied(onFinished: TestContext['onTestFinished'] = onTestFinished) {
  const proxy = await startFaultProxy(engine.server.url);
  onFinished(() => proxy.stop());
  return { proxy, at: `${proxy.endpoint}/${ACCOUNT.name}` };
}

/** A call that ends with an error of this code. It is tried again if another try can help. */
const until = (code: LockStoreError['code']) => (code === 'UNAVAILABLE' ? callOfTries(2) : call());
const acquiring = (client: AzureTableClient, limits = call()) =>
  failureOf(azureTableStore({ client }).acquire(claim(), limits));

describe('row 229: a value that is no client of one table is refused when the store is made', () => {
  const PASS = 'pass a TableClient of @azure/data-tables';
  test.each([
    ['a connection string', `AccountKey=${ACCOUNT.key}`, 'client is a string'],
    ['undefined', undefined, 'client is undefined'],
    ['the class', TableClient, 'client is a class'],
    ['a promise', Promise.resolve(azureClient(url, place)), 'client is a promise'],
    ['a client of the whole account', new TableServiceClient(url, KEY, ONCE), 'client'],
  ])('%s', async (_, client, words) => {
    for (const make of [() => azureTableStore({ client: client as never }), () => createAzureTable(client as never)]) {
      const error = await failureOf<TypeError>((async () => make())());

      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toContain(words);
      expect(error.message).toContain(PASS);
      expect(error.message).not.toContain(ACCOUNT.key);
    }
  });

  test('a table that cannot exist, and the secondary region', () => {
    expect(() => azureTableStore({ client: azureClient(url, 'my-locks') })).toThrow(
      "the table of the client is 'my-locks': name it with 3 to 63 letters and digits, a letter first",
    );
    const client = azureClient('https://acme-secondary.table.core.windows.net', place);
    expect(() => azureTableStore({ client })).toThrow('client reads from the secondary region, which lags behind');
  });
});

describe('row 230: the rights on the page of Azure are enough', () => {
  test('for a run, a list and the verbs of operators', async () => {
    const store = azureTableStore({ client: clientWith(sasFor(RIGHTS)), keyPrefix: 'rights:' });
    const lease = await grant(store);
    expect(await store.release(lease, done, call())).toBe('released');
    await lockAdmin(store).pause('digest');

    expect((await lockAdmin(store).list()).map(({ name }) => name)).toEqual(['digest']);
    expect(await store.checkIn({ group: 'sched', member: 'a', forget: [] }, call())).toMatchObject({ members: [{}] });
  });

  test.each([
    ['query', { add: true, update: true }],
    ['add', { query: true, update: true }],
    ['update', { query: true, add: true }],
  ])('without %s the call is refused, and the error names that right', async (right, permissions) => {
    if (right === 'update') await grant(azureTableStore({ client: azureClient(url, place) }), claim());
    const client = clientWith(sasFor(permissions));
    const store = azureTableStore({ client });
    const error =
      right === 'update'
        ? await failureOf(store.pause('digest', { by: 'ada', untilMs: Date.now() + HOUR }, call()))
        : await acquiring(client);

    expect(error).toMatchObject({ code: 'ACCESS_DENIED', retryable: false });
    expect(error.message).toContain(`no right to table ${place} (${right} was refused): use a SAS token`);
  });

  test('a token cannot make the table, and the tool finds what is missing', async () => {
    const error = await failureOf(createAzureTable(clientWith(sasFor(RIGHTS))));
    expect(error).toMatchObject({ code: 'ACCESS_DENIED', operation: 'createLockTable' });

    const checks = async (env: object) => {
      const { stdout } = await innerCli(['doctor', '--json', ...engine.args(address)], { ...process.env, ...env });
      return (JSON.parse(stdout) as { check: string; status: string }[]).map(
        ({ check, status }) => `${check} ${status}`,
      );
    };
    expect(await checks(engine.env)).toEqual(['table ok', 'rights ok', 'clock ok', 'jobs ok']);
    for (const permissions of [
      { query: true, add: true },
      { query: true, update: true },
    ]) {
      const connection = `TableEndpoint=${url};SharedAccessSignature=${sasFor(permissions)}`;
      expect(await checks({ AZURE_STORAGE_CONNECTION_STRING: connection })).toContain('rights problem');
    }
  });
});

describe('row 231: F214 each problem has its code and its remedy, and no message has a secret', () => {
  const wrongKey = new AzureNamedKeyCredential(ACCOUNT.name, Buffer.from('hunter2').toString('base64'));
  const cases: readonly (readonly [string, () => AzureTableClient, LockStoreError['code'], string])[] = [
    [
      'the table is missing',
      () => azureClient(url, 'nolocks'),
      'TABLE_NOT_FOUND',
      'make it with createAzureTable(client) or single-execution table create',
    ],
    ['a wrong key', () => new TableClient(url, place, wrongKey, ONCE), 'ACCESS_DENIED', 'check the account key'],
    ['a token that has expired', () => clientWith(sasFor(RIGHTS, -1_000)), 'ACCESS_DENIED', 'expired at 20'],
    [
      'a token that begins with a question mark',
      () =>
        TableClient.fromConnectionString(`TableEndpoint=${url};SharedAccessSignature=?${sasFor(RIGHTS)}`, place, ONCE),
      'ACCESS_DENIED',
      "begins with '?'",
    ],
    ['a login that is refused', () => identityThat(400), 'ACCESS_DENIED', 'the client has no credentials'],
    ['a service of logins that is down', () => identityThat(503), 'UNAVAILABLE', 'no clear answer'],
    [
      'no TLS',
      () => new TableClient(url, place, KEY, { retryOptions: { maxRetries: 0 } }),
      'INVALID_REQUEST',
      'allowInsecureConnection: true',
    ],
    [
      'a login over http',
      () => new TableClient(url, place, { getToken: async () => ({ token: 'x', expiresOnTimestamp: 9e12 }) }, ONCE),
      'INVALID_REQUEST',
      'sends no login of @azure/identity over http: use https',
    ],
    ['no server', () => azureClient('http://127.0.0.1:1/acme', place), 'UNAVAILABLE', 'could not be reached'],
    ['no such host', () => azureClient('http://nosuch.invalid/acme', place), 'UNAVAILABLE', 'could not be reached'],
  ];
  test.concurrent.each(cases)('%s', async (_, clientOf, code, words) => {
    const error = await acquiring(clientOf(), until(code));

    expect(error).toMatchObject({ name: 'LockStoreError', code, lockName: 'digest' });
    expect(error.message).toContain(words);
    const { message, cause } = error as { message: string; cause?: Error };
    for (const text of [message, String(cause?.message), JSON.stringify(error)]) {
      expect(text).not.toMatch(/sig=|hunter2|AccountKey/);
    }
  });

  test.concurrent.for([
    ['AuthenticationFailed', 403, 'ACCESS_DENIED', 'Azure refused the login'],
    ['AuthorizationSourceIPMismatch', 403, 'ACCESS_DENIED', 'does not let this host in'],
    ['AuthorizationProtocolMismatch', 403, 'ACCESS_DENIED', 'does not let this host in'],
    ['InvalidAuthenticationInfo', 401, 'ACCESS_DENIED', 'Azure refused the login'],
    ['TableBeingDeleted', 409, 'UNAVAILABLE', 'the table is being deleted'],
    ['ServerBusy', 503, 'UNAVAILABLE', 'the account is throttled'],
    ['TooManyRequests', 429, 'UNAVAILABLE', 'the account is throttled'],
    ['InternalError', 500, 'UNAVAILABLE', 'no clear answer from Azure'],
    ['OperationTimedOut', 500, 'UNAVAILABLE', 'no answer in time'],
    ['InvalidInput', 400, 'INVALID_REQUEST', 'refused the request: correct the address'],
  ] as const)('the answer %s', async ([code, status, expected, words], { onTestFinished }) => {
    const { proxy, at } = await proxied(onTestFinished);
    proxy.inject(azureError('before', status, code), { times: 99 });
    const error = await acquiring(azureClient(at, place), until(expected));

    expect(error.code).toBe(expected);
    expect(error.message).toContain(words);
    expect(error.message).toContain(`(${code})`);
  });

  test('a response without the header Date grants nothing', async () => {
    const { proxy, at } = await proxied();
    proxy.setDate('none');

    expect((await acquiring(azureClient(at, place))).message).toContain('has no header Date');
  });
});

describe('row 232: F215 a client that sends a write again by itself', () => {
  /** A store whose client tries again by itself, as it does by default, though sooner. */
  async function retrying(keyPrefix: string) {
    const { proxy, at } = await proxied();
    const client = azureClient(at, place, { retryOptions: { maxRetries: 3, retryDelayInMs: 1, maxRetryDelayInMs: 5 } });
    /** Loses the answer to the next write. */
    const lose = () => proxy.inject({ kind: 'reset', at: 'after' }, { when: ({ body }) => 'record' in body });
    return { store: azureTableStore({ client, keyPrefix }), lose, proxy };
  }

  test('is told that its own write was applied, in every verb', async () => {
    const { store, lose } = await retrying('again:');
    const locks: LockStore & LockAdminStore = store;
    const told: unknown[] = [];
    lose();
    const outcome = await runOn(store, () => lose(), { name: 'run' });
    told.push(outcome.status, (outcome as { release?: unknown }).release);
    lose();
    const lease = await grant(locks);
    const { fencingToken, lockedAtMs } = lease;
    const force = { name: 'digest', adminId: newAttemptId('b'), fencingToken, lockedAtMs, nowMs: Date.now() };
    lose();
    told.push((await locks.extend(lease, { leaseMs: 90_000 }, call())).status);
    lose();
    told.push(await locks.forceRelease(force, call()));
    lose();
    await locks.pause('digest', { by: 'ada', untilMs: Date.now() + HOUR }, call());
    lose();
    told.push(await locks.resume('digest', call()));

    expect(told).toEqual(['executed', 'released', 'extended', 'forced', 'resumed']);
  });

  test.each([
    ['TooManyRequests', 429],
    ['AuthorizationFailure', 403],
    ['TableNotFound', 404],
  ])('F217 %s, when the store asks who has written, does not say that nobody has', async (code, status) => {
    const { store, lose, proxy } = await retrying(`${code}:`);
    lose();
    // All copies of the first request after the refusal.
    const when = ({ headers }: SeenRequest) => headers[ID] === asks();
    const asks = () => proxy.requests().find((_, index, all) => all[index - 1]?.status === 409)?.headers[ID];
    proxy.inject(azureError('before', status, code), { when, times: 9 });

    expect((await store.acquire(claim(), call())).status).toBe('acquired');
  });

  test('a write of somebody else is still one', async () => {
    const { store, proxy } = await retrying('else:');
    const other = azureTableStore({ client: azureClient(url, place), keyPrefix: 'else:' });
    proxy.inject(
      { kind: 'reset', at: 'before' },
      { when: ({ body }) => 'record' in body, meanwhile: () => grant(other, claim({ lockedBy: 'other' })) },
    );

    expect(await store.acquire(claim(), call())).toMatchObject({ status: 'refused', reason: 'locked' });
  });
});

describe('F216 what answers in the place of the service is not believed', () => {
  const isWrite = ({ body }: { body: object }) => 'record' in body;
  test.each([
    ['an empty 204 to a write', 204, '', isWrite],
    ['other data to a write', 201, '{}', isWrite],
    ['a page to a write', 200, '<html></html>', isWrite],
    ['a page', 200, '<html></html>', () => true],
    ['other data', 200, '{"ok":true}', () => true],
    ['another entity', 200, '{"odata.etag":"W/x","PartitionKey":"other","RowKey":"lock","record":"{}"}', () => true],
  ])('%s', async (title, status, text, when) => {
    const { proxy, at } = await proxied();
    proxy.inject({ kind: 'answer', at: 'before', status, text }, { times: 99, when });
    const store = azureTableStore({ client: azureClient(at, place), keyPrefix: 'gateway:' });
    const error = await failureOf(store.acquire(claim({ name: title }), callOfTries(2)));

    expect(error.message).toContain('not from Azure Table Storage');
    expect(error.code).toBe('UNAVAILABLE');
  });
});

test('row 231: a list of members that is longer than a text in Azure', async () => {
  const client = azureClient(url, place);
  const record: Record<string, number> = {};
  for (let index = 0; JSON.stringify(record).length < 32_700; index++) record[`m:${index}`] = Date.now();
  await client.createEntity({
    ...{ partitionKey: azureKey('many#members'), rowKey: 'lock', record: JSON.stringify(record) },
  });
  const checkingIn = azureTableStore({ client }).checkIn({ group: 'many', member: 'x'.repeat(99), forget: [] }, call());
  const error = await failureOf(checkingIn);

  expect(error).toMatchObject({ code: 'INVALID_REQUEST', retryable: false });
  expect(error.message).toContain('32,768 characters: use fewer candidates');
});

test('row 233: every name is a key, and a list finds it by its prefix only', async () => {
  const odd = ['a/b', 'a\\b', 'a#b', 'a?b', "it's", '50%', 'a=2Fb', '~', 'é', 'É', '日本 😀', '..'];
  const names = [...odd, 'A', 'a', ' a', 'a '];
  const store = azureTableStore({ client: azureClient(url, place), keyPrefix: "odd/'~:" });
  for (const name of names) await grant(store, claim({ name }));
  await grant(azureTableStore({ client: azureClient(url, place), keyPrefix: "odd/'" }), claim({ name: 'another' }));
  // Somebody else's entities.
  for (const partitionKey of ['odd=2F=27=7E=3A=zz', 'odd=2F=27=7E=3Aplain~', azureKey("odd/'~:other")]) {
    await azureClient(url, place).upsertEntity({ partitionKey, rowKey: 'other', record: '{}' });
  }

  expect((await store.list(call())).map(({ name }) => name).sort()).toEqual([...names].sort());
});

test('F14 an entity with other data is a corrupt record, and granted to nobody', async () => {
  const client = azureClient(url, place);
  for (const [name, record] of Object.entries({ 'no json': 'text', 'no text': 5, 'an array': '[]', none: undefined })) {
    const entity = { partitionKey: azureKey(name), rowKey: 'lock', ...(record !== undefined && { record }) };
    await client.createEntity(entity);
    const error = await failureOf<Error>(azureTableStore({ client }).acquire(claim({ name }), call()));

    expect(error.name).toBe('CorruptLockError');
  }
  expect((await admin.list(call())).filter(({ item }) => item?.['state'] === 'unreadable')).toHaveLength(4);
});
