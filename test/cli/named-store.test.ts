import { expect, test } from 'vitest';
import { namedStore } from '../../src/cli/store/kinds.js';
import { innerCli } from '../support/inner-cli.js';

const ENV = {
  LOCK_TABLE: 'locks',
  REDIS_URL: 'redis://127.0.0.1:1',
  DATABASE_URL: 'postgres://ada:hunter2@127.0.0.1:1/x',
};
const { LOCK_TABLE: _, ...URLS } = ENV;

/** The kind of store that a line means. */
function kindOf(options: Readonly<Record<string, string>>, env: Readonly<Record<string, string>>, createsTable?: true) {
  const line = { text: (name: string) => options[name], has: (name: string) => name in options, createsTable };
  return namedStore(line, env).kind.name;
}

test('row 158: variables name the store in the order of the page', () => {
  expect(kindOf({}, ENV)).toBe('dynamodb');
  expect(kindOf({}, URLS)).toBe('redis');
  expect(kindOf({}, { DATABASE_URL: ENV.DATABASE_URL })).toBe('postgres');
  expect(kindOf({ 'redis-url': ENV.REDIS_URL }, ENV)).toBe('redis');
});

test('row 158: table create means the first store that has tables', () => {
  expect(kindOf({}, URLS, true)).toBe('postgres');
  expect(kindOf({}, ENV, true)).toBe('dynamodb');
  expect(kindOf({}, { REDIS_URL: ENV.REDIS_URL }, true)).toBe('redis');
});

test('row 158: --table beside DATABASE_URL is refused, unless something says which of both is meant', () => {
  const isBoth = /DynamoDB.*Postgres of DATABASE_URL: pass --region.*--postgres-url/;
  for (const env of [URLS, { DATABASE_URL: ENV.DATABASE_URL }]) {
    expect(() => kindOf({ table: 'jobs' }, env)).toThrow(isBoth);
    expect(() => kindOf({ table: 'jobs' }, env, true)).toThrow(isBoth);
    expect(kindOf({ table: 'jobs', region: 'eu-west-1' }, env)).toBe('dynamodb');
    expect(kindOf({ table: 'jobs', endpoint: 'http://127.0.0.1:8000' }, env)).toBe('dynamodb');
    expect(kindOf({ table: 'jobs', 'postgres-url': ENV.DATABASE_URL }, env)).toBe('postgres');
  }
  expect(kindOf({ table: 'jobs' }, ENV)).toBe('dynamodb');
  expect(kindOf({ table: 'jobs' }, { DATABASE_URL: 'mongodb://x' })).toBe('dynamodb');
});

test('row 158: the output tells which variable was used, and which was not', async () => {
  const { stderr } = await innerCli(['ls'], URLS);

  expect(stderr).toContain('the locks are in Redis, by REDIS_URL; DATABASE_URL is set too');
  expect(stderr).not.toContain('hunter2');
  const one = await innerCli(['ls'], { REDIS_URL: ENV.REDIS_URL });
  expect(one.stderr).not.toContain('set too');
});
