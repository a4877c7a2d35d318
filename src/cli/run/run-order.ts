import { requiredLeaseMs } from '../../core/options/lease.js';
import { type LockOptions, resolveSettings, type Settings } from '../../core/options/policy.js';
import type { Order } from '../../core/run/invocation.js';
import { describe } from '../../core/values/checks.js';
import { defined } from '../../core/values/defined.js';
import { checkLockName } from '../../core/values/names.js';
import { checkTick } from '../../core/values/tick.js';
import { nearestTick } from '../../core/wrap/trigger.js';
import type { Session } from '../command.js';
import { wrongUse } from '../exit-code.js';
import { asked, instantOf, scheduleOf } from '../read-value.js';

/** The order of a command line for `run`, without its store. */
export interface RunOrder extends Pick<Order, 'name' | 'leaseMs' | 'tickMs'> {
  readonly settings: Settings;
  readonly command: readonly string[];
}

/** @throws CliError for invalid options; nothing was sent */
export function runOrder(session: Session, observers: NonNullable<LockOptions['observers']>): RunOrder {
  const { rest = [], clock } = session;
  const [name, tick, schedule] = ['name', 'tick', 'schedule'].map((option) => session.text(option));
  if (name === undefined) throw wrongUse('run needs --name: give the lock a name');
  if (rest.length === 0) throw wrongUse('run needs a command: put it behind --, as in run --name N -- backup.sh');
  if (rest[0] === '') throw wrongUse("the command behind -- is '': give its name first, as in -- backup.sh");
  if (tick === 'nearest' && schedule === undefined) throw wrongUse('--tick nearest needs --schedule: give both');
  if (tick !== undefined && tick !== 'nearest' && schedule !== undefined) {
    throw wrongUse(`--tick ${describe(tick)} and --schedule exclude each other: give one of them`);
  }
  if (schedule === undefined && session.has('time-zone')) throw wrongUse('--time-zone needs --schedule: give both');
  const atMost = session.text('at-most');
  return asked(() => {
    const settings = resolveSettings(
      {
        // The duration of a command is unknown, so without a chosen lease the lock is kept alive.
        keepAlive: session.has('keep-alive') || atMost === undefined,
        observers,
        clock,
        ...defined({
          lockAtMostFor: atMost,
          lockAtLeastFor: session.text('at-least'),
          schedule: schedule === undefined ? undefined : scheduleOf(schedule, session.text('time-zone')),
        }),
      },
      [],
    );
    return {
      name: checkLockName(name),
      settings,
      leaseMs: requiredLeaseMs(settings),
      command: rest,
      ...defined({ tickMs: tickOf(tick, settings) }),
    };
  });
}

/** @throws TypeError for a schedule without instants at which its ticks are due; RangeError for an invalid tick */
function tickOf(tick: string | undefined, settings: Settings): number | undefined {
  if (settings.schedule !== undefined) return nearestTick(settings)().tickMs;
  return tick === undefined ? undefined : checkTick(instantOf('--tick', tick).getTime(), settings.clock.now());
}
