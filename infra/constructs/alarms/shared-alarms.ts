import { Lazy, Stack } from 'aws-cdk-lib';
import type { Alarm, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IConstruct } from 'constructs';

/** Whom an alarm tells. */
interface Told {
  readonly actions: readonly IAlarmAction[];
  /** Whether they are told of its end as well. */
  readonly ofOk: boolean;
}

/** An alarm that functions of a stack share. */
interface SharedAlarm {
  readonly alarm: Alarm;
  /** The paths of these functions. */
  readonly owners: string[];
  /** Whom it tells already. */
  readonly told: Set<string>;
}

/** The shared alarms of a stack, for every copy of the constructs that an app loads: as an ES module and as CommonJS. */
const SHARED: unique symbol = Symbol.for('single-execution.shared-alarms.1');

/**
 * Finds the alarm that other functions of the stack made of the same, or makes it. It tells everybody whom one of them
 * names, each once.
 *
 * @param key what it watches, and from which value on
 * @param make is given the paths of the functions, as known at synthesis
 */
export function sharedAlarm(
  owner: IConstruct,
  key: readonly unknown[],
  told: Told,
  make: (owners: string) => Alarm,
): Alarm {
  const stack: Stack & { [SHARED]?: Map<string, SharedAlarm> } = Stack.of(owner);
  stack[SHARED] ??= new Map();
  const id = JSON.stringify(stack.resolve(key));
  const owners: string[] = [];
  const found = stack[SHARED].get(id) ?? {
    alarm: make(Lazy.string({ produce: () => listed(owners) })),
    owners,
    told: new Set(),
  };
  stack[SHARED].set(id, found);
  found.owners.push(owner.node.path);
  for (const action of told.actions) tellOnce(found, action, told.ofOk);
  return found.alarm;
}

function tellOnce({ alarm, told }: SharedAlarm, action: IAlarmAction, ofOk: boolean): void {
  const bound = action.bind(alarm, alarm);
  const arn = JSON.stringify(Stack.of(alarm).resolve(bound.alarmActionArn));
  const once = { bind: () => bound };
  if (!told.has(`alarm ${arn}`)) alarm.addAlarmAction(once);
  if (ofOk && !told.has(`ok ${arn}`)) alarm.addOkAction(once);
  told.add(`alarm ${arn}`);
  if (ofOk) told.add(`ok ${arn}`);
}

/** CloudWatch takes 1,024 characters of a description, and there can be hundreds of what it names. */
export function listed(texts: readonly string[]): string {
  const [first = '', second, ...others] = new Set(texts);
  if (second === undefined) return first;
  return others.length === 0 ? `${first}, ${second}` : `${first}, ${second} and ${others.length} more`;
}
