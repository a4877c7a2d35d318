import { type LockStore, LockStoreError } from 'single-execution';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { adapterContract } from './contract/contract.js';
import type { Called, Given, Platform } from './contract/platform.js';
import { process } from './contract/platforms/process.js';

/* Adapters that break one promise each. The contract's case of that promise must fail on them. */

type Options = Readonly<Record<string, unknown>> & { readonly store: LockStore };

/** An adapter that changes what the handler is given. */
const giving = (change: (given: Given) => Given): Platform['wrap'] => {
  return (job, options) => process.wrap((given) => job(change(given)), options);
};

/** An adapter that changes the options. */
const taking = (change: (options: Options) => object): Platform['wrap'] => {
  return (job, options) => process.wrap(job, change(options) as never);
};

const without = (option: string) => taking(({ [option]: _, ...others }) => others);

/** An adapter that changes the result of a call. */
const replying = (change: (reply: Promise<unknown>, call: () => Promise<unknown>) => unknown): Platform['wrap'] => {
  return (job, options) => {
    const wrapped = process.wrap(job, options) as Called;
    return function (this: unknown, ...args) {
      const call = async () => wrapped.apply(this, args);
      return change(call(), call);
    };
  };
};

const BUGS: readonly (readonly [string, Platform['wrap'], string])[] = [
  ['forgets this', giving((given) => ({ ...given, self: undefined })), 'a wrapped method keeps its this'],
  ['swaps arguments', giving((given) => ({ ...given, args: given.args.toReversed() })), 'given the very arguments'],
  ['drops an argument', giving((given) => ({ ...given, args: given.args.slice(1) })), 'given the very arguments'],
  [
    'copies arguments',
    giving((given) => ({ ...given, args: structuredClone(given.args) })),
    'given the very arguments',
  ],
  ['drops the result', replying((reply) => reply.then(() => undefined)), 'the result of the handler is given back'],
  ['swallows errors', replying((reply) => reply.catch(() => undefined)), 'the error of the handler is thrown'],
  ['replaces errors', replying((reply) => reply.catch(() => Promise.reject(new Error()))), 'the error of'],
  [
    'takes an error of another lock for its own',
    replying((reply) =>
      reply.catch((error) => {
        if (error instanceof LockStoreError && error.operation === 'mark') return undefined;
        throw error;
      }),
    ),
    'an error of this library that the handler throws',
  ],
  ['tries again itself', replying((reply, call) => reply.catch(call)), "with onError: 'hold'"],
  ['locks nothing', taking((options) => ({ ...options, name: crypto.randomUUID() })), 'a second delivery of a tick'],
  [
    'never releases',
    taking((options) => ({ ...options, store: { ...options.store, release: async () => 'unknown' } })),
    'the error of',
  ],
  ['runs although its store fails', taking((options) => ({ ...options, onStoreError: 'run' })), 'a store that is out'],
  ['makes one name of all', taking((options) => ({ ...options, name: 'digest' })), 'a name can be made'],
  ['tells no observer', without('observers'), 'observers see the events'],
  ['takes its own clock', without('clock'), 'given the very arguments'],
  ['takes no tick', taking((options) => ({ ...options, tick: 'none' })), 'the tick is the scheduled time'],
  ['has no onSkipped', without('onSkipped'), "with onSkipped: 'throw'"],
  ['has no onError', without('onError'), "with onError: 'hold'"],
  ['has no catchUp', without('catchUp'), 'an older tick is caught up with'],
  ['has no keepAlive', without('keepAlive'), 'a renewed lease lasts as long as its run'],
  [
    'has no maxDuration',
    taking(({ maxDuration: _, ...options }) => ({ lockAtMostFor: '1m', ...options })),
    'of 3000 ms, with {}, the signal',
  ],
  [
    'takes a run by hand for a delivery',
    (job, options) => {
      const call = process.wrap(job, options);
      return Object.assign(call, { now: (...args: unknown[]) => call(...args) });
    },
    'a run by hand runs although',
  ],
  ['takes any option', without('lockAtMost'), 'an unknown option is refused'],
];

// Without an observer, runs are logged to the console.
beforeEach(() => void vi.spyOn(console, 'info').mockReturnValue());
afterEach(() => {
  vi.restoreAllMocks();
});

test.each(BUGS)('the contract finds an adapter that %s', async (_, wrap, promise) => {
  const [found] = adapterContract.filter(({ title }) => title.includes(promise));

  await expect(found?.play({ ...process, wrap })).rejects.toThrow();
  vi.restoreAllMocks();
  await expect(found?.play(process)).resolves.toBeUndefined();
});
