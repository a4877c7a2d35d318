import middy from '@middy/core';
import type { Execution } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { singleExecution } from 'single-execution/middy';
import { afterEach, expectTypeOf, test, vi } from 'vitest';
import { adapterContract } from '../adapters/contract/contract.js';
import { platformOf } from '../adapters/contract/platforms/middy.js';

/* The newest Middy, which wants Node 22. Other tests have the newest one for Node 20, version 6. */

const platform = platformOf(middy as never);
afterEach(() => {
  vi.restoreAllMocks();
});

for (const { title, needs, play } of adapterContract) {
  if (needs.every((need) => platform.lacks[need] === undefined)) test(title, () => play(platform));
}

test('row 62: the execution is in the context of a handler of Middy 7', () => {
  middy()
    .use(singleExecution({ name: 'digest', store: memoryStore() }))
    .handler(async (_event, context) => {
      expectTypeOf(context.execution).toEqualTypeOf<Execution>();
    });
});
