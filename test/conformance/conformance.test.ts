import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Grounds, startGrounds } from './grounds.js';
import { checkPage, type Result } from './page.js';
import { difference, KINDS } from './scenario.js';
import { SUITES } from './suites.js';

let grounds: Grounds;
beforeAll(async () => {
  grounds = await startGrounds();
});
afterAll(() => grounds.stop());

const results: Result[] = SUITES.flatMap((suite) => {
  const stated = suite.scenarios.filter(({ isOfContract }) => isOfContract);
  return KINDS.flatMap((kind) => stated.map((scenario) => ({ suite, kind, scenario })));
});

describe.concurrent.each(SUITES)('$name', (suite) => {
  describe.concurrent.each(KINDS)('on %s', (kind) => {
    const played = suite.scenarios.filter(({ play }) => play !== undefined);
    // verrou waits for real time and makes no allowance for a slow machine, so a failed test is played again.
    test.each(played)('$name', { retry: suite.name === 'verrou' ? 10 : 0 }, async (scenario) => {
      const ground = grounds.all.find((each) => each.kind === kind);
      if (!ground) throw new Error(`no store for ${kind}`);
      const ending = scenario.play?.(ground) ?? Promise.resolve();
      const differs = difference(scenario, kind);
      await (differs === undefined ? ending : expect(ending, 'it differs no longer').rejects.toThrow());
      results.push({ suite, kind, scenario });
    });
  });
});

test('docs/conformance.md has these counts', async () => {
  await checkPage(results, grounds.redisVersion);
});
