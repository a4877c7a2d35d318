import fc from 'fast-check';
import { acquireLock, type ExecuteOptions, executeWithLock, withSingleExecution } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { lambdaContext } from 'single-execution/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { nameProblem } from '../../src/core/values/names.js';
import { anyTrigger, type Platform } from '../adapters/contract/platform.js';
import { cloudflare } from '../adapters/contract/platforms/cloudflare.js';
import { http } from '../adapters/contract/platforms/http.js';
import { lambda } from '../adapters/contract/platforms/lambda.js';
import { process } from '../adapters/contract/platforms/process.js';
import type { Locks } from '../support/backends/backend.js';
import { startBackends } from '../support/backends/stage.js';
import { KINDS, kindsWith } from '../support/backends.js';
import { openFake } from '../support/fake-table.js';
import { anyText, anyValue } from '../support/hostile-values.js';
import { call, claim } from '../support/one-run.js';

const stage = await startBackends(...KINDS);
afterAll(() => stage.stop());
const fake = openFake();

type Options = Pick<ExecuteOptions, 'name' | 'store' | 'lockAtMostFor' | 'observers'>;

/** Wraps a task on a platform, and calls the wrapped function. */
const callOn = (platform: Platform, task: () => void, options: object) =>
  platform.wrap(task, { ...options, ...platform.options } as never)(
    ...platform.argsOf({ ...anyTrigger, time: Date.now() }),
  );

/** For each door that takes a name: a run of a task under that name. */
const DOORS: Readonly<Record<string, (task: () => void, options: Options) => unknown>> = {
  executeWithLock: (task, options) => executeWithLock(task, options),
  async acquireLock(task, options) {
    await using _ = await acquireLock(options);
    task();
  },
  withSingleExecution: (task, options) => callOn(lambda, task, options),
  ...Object.fromEntries(
    [lambda, http, cloudflare, process].map((platform) => [
      `${platform.title} by a function`,
      (task: () => void, { name, ...options }: Options) => callOn(platform, task, { ...options, name: () => name }),
    ]),
  ),
};

describe.each(Object.keys(DOORS))('F18 any value as a name for %s', (door) => {
  test('is the key, the whole key and nothing but the key, or refused in words before anything is written', async () => {
    let taken = 0;
    const isKey = fc.asyncProperty(anyValue, anyText, fc.boolean(), async (value, text, isText) => {
      const name = isText ? text : value;
      // Skip functions: a function is called to make the name, which another property tests.
      fc.pre(typeof name !== 'function');
      const store = memoryStore();
      let runs = 0;
      const options = { name: name as string, store, lockAtMostFor: '1m', observers: [] };
      const run = async () => void (await DOORS[door]?.(() => void runs++, options));
      const error = await run().catch((reason: unknown) => reason);
      const stored = (await store.list(call())).map((lock) => lock.name);
      if (error === undefined) {
        taken++;
        expect(nameProblem(name as string)).toBeUndefined();
        expect({ stored, runs }).toEqual({ stored: [name], runs: 1 });
        return;
      }
      expect({ stored, runs }).toEqual({ stored: [], runs: 0 });
      expect((error as Error).message).toMatch(/^name (is|returned) .+: .*(shorten|remove|pass|return)/s);
      expect(error).toBeInstanceOf(typeof name === 'string' ? RangeError : TypeError);
    });
    await fc.assert(isKey, { numRuns: 500 });
    expect(taken).toBeGreaterThan(50);
  });
});

test('what a name function throws reaches the caller by identity, and nothing is written', async () => {
  await fc.assert(
    fc.asyncProperty(anyValue, async (thrown) => {
      const store = memoryStore();
      const handler = withSingleExecution(() => 'ran', {
        store,
        name() {
          throw thrown;
        },
      });
      const [settled] = await Promise.allSettled([handler({}, lambdaContext())]);
      expect(settled.status === 'rejected' && Object.is(settled.reason, thrown)).toBe(true);
      expect(await store.list(call())).toEqual([]);
    }),
  );
});

const acceptedName = anyText.filter((name) => nameProblem(name) === undefined && name.length < 60);
const names = fc.uniqueArray(acceptedName, { minLength: 2, maxLength: 8 });
/** Two prefixes; neither begins with the other. */
const prefixes = fc
  .tuple(acceptedName, acceptedName)
  .filter(([one, other]) => !one.startsWith(other) && !other.startsWith(one) && one.length + other.length < 40);

describe.each(['fake' as const, ...KINDS])('F20 F92 F95 on %s', (kind) => {
  let places = 0;
  const place = () => `${kind}${places++}/`;
  const open = (keyPrefix: string) => (kind === 'fake' ? fake : stage.on(kind)).prefixed(keyPrefix);
  const numRuns = kind === 'memory' || kind === 'fake' ? 200 : 6;

  test('names that differ never share a record, and come back as they were given', async () => {
    await fc.assert(
      fc.asyncProperty(names, async (some) => {
        await areApart([[open(place()), some]]);
      }),
      { numRuns },
    );
  });

  // Only stores with a prefix: locks in memory have none.
  if (kind === 'fake' || kindsWith('prefixes').includes(kind))
    test('no name reaches a record of another prefix', async () => {
      await fc.assert(
        fc.asyncProperty(prefixes, names, async ([one, other], some) => {
          const at = place();
          // Names that begin like the other prefix, or like both.
          const near = [
            ...new Set(
              [...some, other, one + other].filter((name) => nameProblem(at + one + other + name) === undefined),
            ),
          ];
          await areApart([
            [open(at + one), near],
            [open(at + other), near],
          ]);
        }),
        { numRuns },
      );
    });
});

/** Expects that all locks can be held at the same time, each by its own grant, and are listed under their own names. */
async function areApart(all: readonly (readonly [Locks, readonly string[]])[]): Promise<void> {
  for (const [{ store, admin }, some] of all) {
    const asked = some.map((name) => claim({ name }));
    for (const one of asked) expect(await store.acquire(one, call())).toMatchObject({ status: 'acquired' });
    for (const { name, attemptId } of asked) {
      expect(await admin.get(name, call())).toMatchObject({ name, item: { attemptId, state: 'held' } });
    }
  }
}
