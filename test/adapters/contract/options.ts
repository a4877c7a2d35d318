import { cron } from 'single-execution/schedule';
import { expect } from 'vitest';
import { type AdapterCase, adapterCase } from './case.js';
import type { Need } from './platform.js';
import type { StageOptions } from './stage.js';

const REFUSED: readonly (readonly [StageOptions, string, ...Need[]])[] = [
  [{ name: '' }, "name is '': empty; pass a name of 1 to 128 bytes"],
  [{ store: undefined }, 'store is undefined: pass a store'],
  [{ store: { acquire() {} } }, "store has no function 'extend'"],
  [{ store: () => ({}) }, 'store is a function: pass a store', 'store as a value'],
  [{ onSkipped: 'ignore' }, "onSkipped is 'ignore': choose 'return' or 'throw'"],
  [{ tick: 'soon' }, "tick is 'soon': choose 'event' or 'nearest' or 'none'"],
  [{ tick: 'nearest' }, "tick is 'nearest', but no schedule says when ticks are due"],
  [
    { lockAtMostFor: undefined },
    'lockAtMostFor is undefined: say how long the lock outlives a holder that dies, such as 5m, or set maxDuration or keepAlive',
    'lease by an option',
  ],
  [{ maxDuration: 0 }, 'maxDuration is 0: say how long the platform lets a run last', 'lease by an option'],
  [{ maxDuration: 'long' }, "maxDuration is 'long': pass milliseconds as a number", 'lease by an option'],
  [
    { gracePeriod: 0 },
    'gracePeriod does nothing without maxDuration: set both, or leave gracePeriod out',
    'lease by an option',
  ],
  [{ tick: { every: '1ms' } }, 'tick.every is 1ms: pass 1s to 366d', 'tick of the local clock'],
  [
    { tick: undefined },
    "tick is undefined: pass 'event', 'nearest', { every: '5m' } or a function; or 'none', with which a second call may run again",
    'tick of the local clock',
  ],
  [
    { tick: 'none', schedule: cron('0 * * * *'), catchUp: { mode: 'all' } },
    "tick is 'none', but catchUp is for ticks",
    'catch-up',
  ],
];

export const optionCases: readonly AdapterCase[] = [
  ...REFUSED.map(([options, message, ...needs]) =>
    adapterCase(
      `row 14: an invalid option is refused when wrapping, with the remedy: ${message}`,
      ({ wrap, result }) => expect(() => wrap(result, options)).toThrow(message),
      needs,
    ),
  ),

  adapterCase('row 14: an unknown option is refused with a list of those that exist', ({ wrap, result, platform }) => {
    const message = `unknown option 'lockAtMost': the options are ${platform.optionNames}, store,`;
    expect(() => wrap(result, { lockAtMost: '1m' })).toThrow(message);
  }),
];
