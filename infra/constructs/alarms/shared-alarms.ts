import { Lazy, Stack } from 'aws-cdk-lib';
import type { Alarm, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IConstruct } from 'constructs';

/** Whom an alarm notifies. */
interface Notified {
  readonly actions: readonly IAlarmAction[];
  /** Whether the actions also run when the alarm returns to OK. */
  readonly ofOk: boolean;
}

/** An alarm that functions of a stack share. */
interface SharedAlarm {
  readonly alarm: Alarm;
  /** The paths of the functions that share the alarm. */
  readonly owners: string[];
  /** The actions that the alarm has already. */
  readonly added: Set<string>;
}

/**
 * The property of a stack that keeps its shared alarms. An app can load two copies of the constructs, as an ES module
 * and as CommonJS; both use this property.
 */
const SHARED: unique symbol = Symbol.for('single-execution.shared-alarms.1');

/**
 * Finds the alarm that another function of the stack made with the same key, or makes it. The alarm has the actions of
 * all its functions, each action once.
 *
 * @param key what the alarm watches, its threshold and its periods
 * @param make makes the alarm from the paths of its functions, which are complete at synthesis
 */
export function sharedAlarm(
  owner: IConstruct,
  key: readonly unknown[],
  notified: Notified,
  make: (owners: string) => Alarm,
): Alarm {
  const stack: Stack & { [SHARED]?: Map<string, SharedAlarm> } = Stack.of(owner);
  stack[SHARED] ??= new Map();
  const id = JSON.stringify(stack.resolve(key));
  const owners: string[] = [];
  const found = stack[SHARED].get(id) ?? {
    alarm: make(Lazy.string({ produce: () => listed(owners) })),
    owners,
    added: new Set(),
  };
  stack[SHARED].set(id, found);
  found.owners.push(owner.node.path);
  for (const action of notified.actions) addOnce(found, action, notified.ofOk);
  return found.alarm;
}

function addOnce({ alarm, added }: SharedAlarm, action: IAlarmAction, ofOk: boolean): void {
  const bound = action.bind(alarm, alarm);
  const arn = JSON.stringify(Stack.of(alarm).resolve(bound.alarmActionArn));
  const once = { bind: () => bound };
  if (!added.has(`alarm ${arn}`)) alarm.addAlarmAction(once);
  if (ofOk && !added.has(`ok ${arn}`)) alarm.addOkAction(once);
  added.add(`alarm ${arn}`);
  if (ofOk) added.add(`ok ${arn}`);
}

/** Lists two texts and counts the others, because CloudWatch limits a description to 1,024 characters. */
export function listed(texts: readonly string[]): string {
  const [first = '', second, ...others] = new Set(texts);
  if (second === undefined) return first;
  return others.length === 0 ? `${first}, ${second}` : `${first}, ${second} and ${others.length} more`;
}
