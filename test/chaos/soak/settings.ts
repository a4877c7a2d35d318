import { backendOf, kindsWith } from '../../support/backends.js';
import { oneOf, readFlags, SWITCH, seedOf, TEXT, whole } from '../../support/play/command.js';

/** A file needs no network, but its clock is the one of the worker, which is wrong. */
const STORES = kindsWith('network');
const PROGRAMS = new Set(STORES.flatMap((store) => backendOf(store).program ?? []));

export type Settings = ReturnType<typeof readSettings>;

export const USAGE = `Usage: npm run chaos -- [options]

Six worker processes to a store run jobs with a tick a second, each tick given to several of
them, while they are killed and stopped, their clocks are wrong by up to two minutes, and
their network loses, delays and doubles what they send. Then checks what has happened.

  --minutes N   real time to play, 1 to 600 (default 1)
  --seed N      the same seed plans the same faults (default: a new one)
  --store S     ${STORES.join(', ')}, or
                all of them at the same time (default)
  --help        this text

Uses libfaketime, ${[...PROGRAMS].join(', ')}. Exit code: 0 when every invariant held, 1 when one broke, 2 for a wrong
option.`;

/** @throws UsageError */
export function readSettings(args: readonly string[]) {
  const values = readFlags(args, { minutes: TEXT, seed: TEXT, store: TEXT, help: SWITCH });
  const store = oneOf('--store', values.store, [...STORES, 'all']) ?? 'all';
  return {
    seed: seedOf(values.seed),
    minutes: whole('--minutes', values.minutes, 1, 600) ?? 1,
    stores: store === 'all' ? STORES : [store],
    help: values.help ?? false,
  };
}
