/*
 * A process that runs an hourly job for one tick, says for which ticks its handler begins and ends, and ends by itself.
 * With `killAtCall` it kills itself in that call of its handler, counted from 1, as a crash of its host would.
 */
import { type ExecuteOptions, type Execution, executeWithLock } from 'single-execution';
import { cron } from 'single-execution/schedule';
import { openStore, type StoreAddress } from '../support/store-address.js';
import { order, say } from '../support/told.js';

export interface HourlyOrder {
  readonly store: StoreAddress;
  readonly name: string;
  readonly leaseMs: number;
  readonly tickMs: number;
  readonly catchUp?: ExecuteOptions['catchUp'];
  readonly killAtCall?: number;
}

const { store: address, name, leaseMs, tickMs, catchUp, killAtCall } = order<HourlyOrder>();
const { store, close } = openStore(address);
let calls = 0;

function task({ tick, fencingToken, isCatchUp }: Execution): void {
  const about = { tickMs: tick?.getTime(), fencingToken, isCatchUp };
  say('began', about);
  calls++;
  if (calls === killAtCall) process.kill(process.pid, 'SIGKILL');
  say('worked', about);
}

// The first request of a process is slow, which a short lease might not outlast.
await executeWithLock(() => undefined, { name: `${name} before`, store, lockAtMostFor: '1m' });
await executeWithLock(task, {
  name,
  store,
  lockAtMostFor: leaseMs,
  // A holder that was killed blocks until its lease is over.
  wait: '20s',
  tick: tickMs,
  schedule: cron('0 * * * *'),
  ...(catchUp && { catchUp }),
  observers: [],
});
close();
