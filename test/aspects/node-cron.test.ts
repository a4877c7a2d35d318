import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BundledProgram, bundledProgram } from '../support/bundled-program.js';
import { type ChildPrograms, childPrograms } from '../support/child-program.js';
import { type RedisServer, startRedisServer } from '../support/redis-server.js';
import { expectOneRunPerTick, saidBy } from './fleet.js';

const PROCESSES = 6;

let redis: RedisServer;
let programs: ChildPrograms;
let program: BundledProgram;
beforeAll(async () => {
  programs = childPrograms();
  [redis, program] = await Promise.all([
    startRedisServer(),
    bundledProgram(new URL('node-cron-program.ts', import.meta.url)),
  ]);
});
afterAll(async () => {
  await programs?.stop();
  await Promise.all([redis?.stop(), program?.remove()]);
});

test(`row 103: in ${PROCESSES} processes a task of node-cron runs once per tick`, { timeout: 180_000 }, async () => {
  const fleet = Array.from({ length: PROCESSES }, () => programs.start(program.path, { url: redis.url }));
  await expectOneRunPerTick(fleet, 4);

  expect(saidBy(fleet)).toContainEqual(expect.objectContaining({ said: 'skipped', reason: 'not-elected' }));
  const client = new Redis(redis.url);
  expect(await client.hgetall('lock:digest')).toMatchObject({ result: 'succeeded' });
  client.disconnect();
});
