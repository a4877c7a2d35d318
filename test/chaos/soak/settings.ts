import { randomInt } from 'node:crypto';
import { readFlags, SWITCH, TEXT, UsageError, whole } from '../../support/play/command.js';
import type { StoreAddress } from '../../support/store-address.js';

type Store = StoreAddress['kind'];

/** How the soak is to be played. */
export interface Settings {
  readonly seed: number;
  readonly minutes: number;
  readonly stores: readonly Store[];
  readonly help: boolean;
}

const STORES: readonly Store[] = ['dynamodb', 'redis', 'upstash'];

export const USAGE = `Usage: npm run chaos -- [options]

Six worker processes to a store run jobs with a tick a second, each tick given to several of
them, while they are killed and stopped, their clocks are wrong by up to two minutes, and
their network loses, delays and doubles what they send. Then checks what has happened.

  --minutes N   real time to play, 1 to 600 (default 1)
  --seed N      the same seed plans the same faults (default: a new one)
  --store S     dynamodb (needs Java 17), redis, upstash (both need redis-server), or all
                at the same time (default)
  --help        this text

Uses libfaketime. Exit code: 0 when every invariant held, 1 when one broke, 2 for a wrong
option.`;

/** @throws UsageError */
export function readSettings(args: readonly string[]): Settings {
  const values = readFlags(args, { minutes: TEXT, seed: TEXT, store: TEXT, help: SWITCH });
  return {
    seed: whole('--seed', values.seed, 0, 4_294_967_295) ?? randomInt(1, 100_000),
    minutes: whole('--minutes', values.minutes, 1, 600) ?? 1,
    stores: storesOf(values.store ?? 'all'),
    help: values.help ?? false,
  };
}

function storesOf(name: string): readonly Store[] {
  const stores = STORES.filter((store) => name === 'all' || name === store);
  if (stores.length > 0) return stores;
  throw new UsageError(`--store is '${name}': give ${STORES.join(', ')} or all`);
}
