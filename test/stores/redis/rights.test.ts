import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { executeWithLock } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { type RedisStoreOptions, redisAdminStore, redisStore } from 'single-execution/redis';
import { lockStoreContract } from 'single-execution/testing';
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';
import { redisHarness } from '../../support/contract-harness.js';
import { commandsAbout, innerCli, innerCliOn } from '../../support/inner-cli.js';
import { memberCases } from '../../support/member-cases.js';
import { call, claim, done, grant } from '../../support/one-run.js';
import { redisCases } from '../../support/redis-cases.js';
import { says } from '../../support/settled.js';

/* The users of docs/stores/redis.md, "Permissions or setup", made with the lines of that page and nothing else. */

const { server, client: redis } = await ownEngine('redis');
const page = readFileSync(new URL('../../../docs/stores/redis.md', import.meta.url), 'utf8');
const LINES = page.split('\n').filter((line) => line.startsWith('ACL SETUSER '));

const makeUsers = async () => {
  for (const line of LINES) {
    const [command = '', ...args] = line.replace('>PASSWORD', '>secret').split(' ');
    await redis.call(command, ...args);
  }
};
/** The rules `+command` of a user. */
const rightsOf = (user: string) =>
  LINES.find((line) => line.startsWith(`ACL SETUSER ${user} `))
    ?.split(' ')
    .filter((rule) => rule.startsWith('+'))
    .map((rule) => rule.slice(1)) ?? [];

const urlOf = (user: string) => `redis://${user}:secret@${server.host}:${server.port}`;
const over = (user: string): Redis => {
  // ioredis warns that the user may not ask for INFO.
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const client = new Redis(urlOf(user), { maxRetriesPerRequest: 0 });
  client.on('error', () => undefined);
  afterAll(() => client.disconnect());
  return client;
};
await makeUsers();
beforeEach(makeUsers);

const jobs = over('jobs');
const operators = over('operators');
const nodeJobs = createClient({ url: urlOf('jobs') });
nodeJobs.on('error', () => undefined);
await nodeJobs.connect();
afterAll(() => nodeJobs.destroy());

test('row 141 the page has a line for jobs and one for operators', () => {
  expect(LINES.map((line) => line.split(' ')[2])).toEqual(['jobs', 'operators']);
});

const CLIENTS: [string, RedisStoreOptions['client'], string][] = [
  ['ioredis', jobs, 'lock:io:'],
  ['node-redis', nodeJobs, 'lock:node:'],
];
describe.concurrent.each(CLIENTS)(
  'row 141 under the rights of the page the contract is kept over %s',
  (_, client, keyPrefix) => {
    const admin = redisAdminStore({ client: operators, keyPrefix });
    const hset = (key: string, fields: Record<string, string>) => redis.hset(key, fields);
    const harness = redisHarness({ store: redisStore({ client, keyPrefix }), admin, keyPrefix, hset });
    for (const { name, check } of [...lockStoreContract, ...redisCases, ...memberCases])
      test(name, () => check(harness));
  },
);

test.each(commandsAbout('job', '2026-01-01T09:00:00Z').filter(([command]) => command !== 'doctor'))(
  'row 141 an operator may use the command %s',
  async (...command) => {
    const store = redisStore({ client: redis });
    await redis.del('lock:job');
    await store.release(await grant(store, claim({ name: 'job', tickMs: Date.UTC(2026, 0, 1, 8) })), done, call());
    const { stderr } = await innerCliOn(['--redis-url', urlOf('operators')], command);

    expect(stderr).not.toMatch(/single-execution:|Redis|failed/);
  },
);

test('row 141 an operator may use the command unlock', async () => {
  await redis.del('lock:job');
  const { fencingToken } = await grant(redisStore({ client: redis }), claim({ name: 'job' }));
  const unlock = ['unlock', 'job', '--yes', '--token', String(fencingToken), '--redis-url', urlOf('operators')];
  expect(await innerCli(unlock)).toMatchObject({ code: 0 });
});

const doctor = async (user: string) => {
  const { code, stdout } = await innerCli(['doctor', '--json', '--redis-url', urlOf(user)]);
  const findings = JSON.parse(stdout) as { check: string; status: string; found: string }[];
  return { code, ...Object.fromEntries(findings.map(({ check, ...finding }) => [check, finding])) };
};

test('row 141 doctor looks at everything under the rights of an operator', async () => {
  expect(await doctor('operators')).toMatchObject({
    code: 0,
    script: { status: 'ok' },
    rights: { status: 'ok' },
    version: { status: 'ok' },
  });
});

const NEEDED_BY_RUNS = rightsOf('jobs');
describe('F129 a right that is missing', () => {
  const runOn = async (client: RedisStoreOptions['client']) => {
    const store = redisStore({ client });
    await redis.del('lock:missing', 'lock:members');
    const options = { name: 'missing', store, lockAtMostFor: '1m', observers: [] } as const;
    await executeWithLock(() => undefined, options);
    await store.checkIn({ group: 'missing', member: 'a', forget: ['b'] }, call());
  };

  test.each(
    NEEDED_BY_RUNS.flatMap((right) => [[right, 'ioredis', jobs] as const, [right, 'node-redis', nodeJobs] as const]),
  )('such as %s is named to a run over %s', async (right, _, client) => {
    await redis.script('FLUSH');
    await redis.call('ACL', 'SETUSER', 'jobs', `-${right}`);
    // With EVAL a script that Redis does not know yet is loaded.
    await expect(runOn(client)).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
      retryable: false,
      message: expect.stringMatching(new RegExp(`run (.*, )?${right}\\b.*~lock:\\*.* \\+${right}\\b`, 'i')),
    });
  });

  test.each(['scan', 'cluster|nodes'])('such as %s is named to a list', async (right) => {
    await redis.call('ACL', 'SETUSER', 'operators', `-${right}`);
    await expect(lockAdmin(redisAdminStore({ client: operators })).list()).rejects.toMatchObject(
      says('ACCESS_DENIED', `+${right}`),
    );
  });

  test('to the keys is named with their pattern', async () => {
    await expect(redisStore({ client: jobs, keyPrefix: 'other:' }).acquire(claim(), call())).rejects.toMatchObject(
      says('ACCESS_DENIED', '~other:*'),
    );
  });

  test.each(['hget', 'hmget', 'hset', 'hdel'])('such as %s is found by doctor', async (right) => {
    onTestFinished(makeUsers);
    await redis.call('ACL', 'SETUSER', 'operators', `-${right}`);
    expect(await doctor('operators')).toMatchObject({
      code: 1,
      rights: { status: 'problem', found: expect.stringContaining(right.toUpperCase()) },
    });
  });
});
