import { redisStore } from 'single-execution/redis';
import { manualClock } from 'single-execution/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import { clearedEngine } from '../../support/backends/stage.js';
import { storeCall } from '../../support/contract-harness.js';
import { call, claim, done, grant } from '../../support/one-run.js';

const { client: redis } = await clearedEngine('redis');
beforeEach(async () => {
  await redis.script('FLUSH');
});

const clientOf = () => ({
  eval: vi.fn((script: string, count: number, ...rest: string[]) => redis.eval(script, count, ...rest)),
  evalsha: vi.fn((hash: string, count: number, ...rest: string[]) => redis.evalsha(hash, count, ...rest)),
});
const names = Array.from({ length: 64 }, (_, i) => `digest-${i}`);

test('many calls at once send a script whole once, also over many stores', async () => {
  const client = clientOf();
  const leases = await Promise.all(names.map((name) => grant(redisStore({ client }), claim({ name }))));
  expect(client.eval).toHaveBeenCalledTimes(1);

  await Promise.all(leases.map((lease) => redisStore({ client }).release(lease, done, call())));
  expect(client.eval).toHaveBeenCalledTimes(2);
});

test('a script that was sent whole and is not answered is sent by the next try of each call', async () => {
  const client = clientOf();
  client.eval.mockReturnValueOnce(new Promise(() => {}));
  const clock = manualClock();
  const some = names.slice(0, 3);
  const acquiring = some.map((name) => redisStore({ client }).acquire(claim({ name }), storeCall(clock)));
  await vi.waitFor(() => expect(client.evalsha).toHaveBeenCalledTimes(3), 60_000);
  await clock.advance(1_000);

  expect((await Promise.all(acquiring)).map(({ status }) => status)).toEqual(['acquired', 'acquired', 'acquired']);
});

test('a script that Redis refused to one call is tried by those that waited for it', async () => {
  const client = clientOf();
  client.eval.mockRejectedValueOnce(new Error('ERR wrong number of arguments'));
  const acquiring = names.slice(0, 3).map((name) => redisStore({ client }).acquire(claim({ name }), call()));
  const outcomes = await Promise.allSettled(acquiring);

  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
});

test('neither the history nor the attempts that have ended are sent back to a run or a skip', async () => {
  const client = clientOf();
  const store = redisStore({ client });
  for (let run = 0; run < 12; run++)
    await store.release(await grant(store, claim({ attemptId: `a-${run}` })), done, call());
  client.evalsha.mockClear();
  const lease = await grant(store);
  await store.acquire(claim({ attemptId: 'a-late' }), call());
  await store.release(lease, done, call());

  const answers = await Promise.all(client.evalsha.mock.results.map(({ value }) => value as Promise<string>));
  expect(answers.map((answer) => JSON.parse(answer)[0])).toEqual(['granted', 'refused', 'released']);
  for (const answer of answers) expect(answer).not.toMatch(/"r\d"|barredAttempts/);
  expect(answers.join('').length).toBeLessThan(900);
});
