/*
 * A process that runs an hourly job for one tick, reports the ticks for which its handler begins and ends, and ends by
 * itself. In the call of its handler with number `killAtCall`, counted from 1, it kills itself, as in a crash of its
 * host.
 */
import { type ExecuteOptions, type Execution, executeWithLock } from 'single-execution';
import { cron } from 'single-execution/schedule';
import type { StoreAddress } from '../support/backends/backend.js';
import { openStore } from '../support/backends.js';
import { order, say } from '../support/told.js';

export interface HourlyOrder {
  readonly store: StoreAddress;
  readonly name: string;
  readonly tickMs: number;
  readonly catchUp?: ExecuteOptions['catchUp'];
  readonly killAtCall?: number;
}

const { store: address, name, tickMs, catchUp, killAtCall } = order<HourlyOrder>();
const { store, close } = await openStore(address);
let calls = 0;

function task({ tick, fencingToken, isCatchUp }: Execution): void {
  const about = { tickMs: tick?.getTime(), fencingToken, isCatchUp };
  say('began', about);
  calls++;
  if (calls === killAtCall) process.kill(process.pid, 'SIGKILL');
  say('worked', about);
}

await executeWithLock(task, {
  name,
  store,
  // Longer than a test takes on any machine.
  lockAtMostFor: '10m',
  tick: tickMs,
  schedule: cron('0 * * * *'),
  ...(catchUp && { catchUp }),
  observers: [],
});
close();
