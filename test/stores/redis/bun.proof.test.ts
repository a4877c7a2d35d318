import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { RUNTIMES } from '../../edge/runtimes.js';
import { ownEngine } from '../../support/backends/stage.js';

const { server } = await ownEngine('redis');
const PROGRAM = fileURLToPath(new URL('./bun-contract.ts', import.meta.url));
const TSCONFIG = fileURLToPath(new URL('../../../tsconfig.json', import.meta.url));

test('row 139 the client of Bun keeps the contract of all stores', { timeout: 300_000 }, async () => {
  const bun = RUNTIMES.find(({ name }) => name === 'Bun');
  const [binary = '', ...args] = (await bun?.command()) ?? [];
  const env = { ...process.env, REDIS_URL: server.url };
  const { stdout } = await promisify(execFile)(binary, [...args, `--tsconfig-override=${TSCONFIG}`, PROGRAM], { env });
  const { version, failed, cases } = JSON.parse(stdout);

  process.stdout.write(`| Bun ${version} RedisClient | ${cases - failed.length} of ${cases} |\n`);
  expect(failed).toEqual([]);
  expect(cases).toBeGreaterThan(300);
});
