import { Lazy, Stack } from 'aws-cdk-lib';
import type { Alarm, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IConstruct } from 'constructs';

/** An alarm's actions. */
interface Told {
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
  readonly told: Set<string>;
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

/** Lists two texts and counts the others, because CloudWatch limits a description to 1,024 characters. */
export function listed(texts: readonly string[]): string {
  const [first = '', second, ...others] = new Set(texts);
  if (second === undefined) return first;
  return others.length === 0 ? `${first}, ${second}` : `${first}, ${second} and ${others.length} more`;
}
