/*
 * No compiler has checked the properties of an app that is written in JavaScript, or that tsx runs. This file refuses a
 * value of the wrong kind and names its property, before other code fails on that value.
 */

import { type Duration, Token } from 'aws-cdk-lib';

type Value = Readonly<Record<string, unknown>>;

interface Shape {
  readonly is: (value: unknown) => boolean;
  readonly remedy: string;
}

const isObject = (value: unknown): value is Value => typeof value === 'object' && value !== null;
/** Describes a value for an error message, without the content of an object. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return 'a list';
  return isObject(value) ? 'an object' : typeof value === 'function' ? 'a function' : String(value);
}

/** Recognises an object by one of its members: `instanceof` would fail if an app loads two copies of CDK. */
const has =
  (member: string, type: 'function' | 'string') =>
  (value: unknown): boolean =>
    isObject(value) && typeof value[member] === type;

const DURATION: Shape = {
  is: has('toMilliseconds', 'function'),
  remedy: 'pass a Duration, such as Duration.minutes(1)',
};
const QUEUE: Shape = { is: has('queueArn', 'string'), remedy: 'pass a Queue' };
const ACTION: Shape = { is: has('bind', 'function'), remedy: 'pass an action, such as new SnsAction(topic)' };
const NAME: Shape = { is: (value) => typeof value === 'string', remedy: "pass a name, such as 'send-digest'" };
const EXPRESSION: Shape = {
  is: has('expressionString', 'string'),
  remedy: 'pass a ScheduleExpression, such as ScheduleExpression.rate(Duration.minutes(5))',
};
const VIA: Shape = { is: (value) => value === 'scheduler' || value === 'rule', remedy: "choose 'scheduler' or 'rule'" };
const WINDOW: Shape = { is: has('mode', 'string'), remedy: 'pass a TimeWindow, such as TimeWindow.off()' };
const TABLE: Shape = { is: has('grantLock', 'function'), remedy: 'pass a LockTable, or LockTable.fromTable(…)' };
const FUNCTION: Shape = {
  is: (value) => isObject(value) && ('lockSets' in value || 'execution' in value),
  remedy: 'pass a SingleExecutionFunction, or what SingleExecution.attach returned',
};

/** @throws TypeError that names the wrong property of a function, or of one of its schedules or alarms */
export function refuseShapeOfFunction(props: object): void {
  const given = props as Value;
  refuse('lockTable', given['lockTable'], TABLE);
  refuseList('lockNames', given['lockNames'], NAME);
  const schedules = listOf('schedules', given['schedules'], 'pass a list of { schedule }');
  for (const [i, schedule] of schedules.entries()) refuseShapeOfSchedule(`schedules[${i}]`, schedule);
  for (const name of ['lockAtMostFor', 'lockAtLeastFor', 'timeout', 'maxEventAge']) refuseGiven(name, given, DURATION);
  refuseGiven('deadLetterQueue', given, QUEUE);
  if (given['alarmActions'] !== undefined) refuseList('alarmActions', given['alarmActions'], ACTION);
  const { alarms = {} } = given;
  if (alarms === false) return;
  if (!isObject(alarms) || Array.isArray(alarms)) {
    throw new TypeError(`alarms is ${shown(alarms)}: pass an object such as { longRun: false }, or false`);
  }
  for (const name of ['page', 'ticket']) {
    if (alarms[name] !== undefined) refuseList(`alarms.${name}`, alarms[name], ACTION);
  }
}

/** @throws TypeError that names the place of a wrong value in a dashboard's list of functions */
export function refuseShapeOfDashboard({ functions }: Value): void {
  refuseList('functions', functions, FUNCTION);
}

function refuseShapeOfSchedule(name: string, schedule: unknown): void {
  if (!isObject(schedule)) {
    throw new TypeError(`${name} is ${shown(schedule)}: pass an object such as { schedule, lockName }`);
  }
  refuse(`${name}.schedule`, schedule['schedule'], EXPRESSION);
  const shapes = { lockName: NAME, via: VIA, timeWindow: WINDOW };
  for (const [member, shape] of Object.entries(shapes)) {
    if (schedule[member] !== undefined) refuse(`${name}.${member}`, schedule[member], shape);
  }
}

function refuseGiven(name: string, props: Value, shape: Shape): void {
  if (props[name] !== undefined) refuse(name, props[name], shape);
}

function refuseList(name: string, list: unknown, shape: Shape): void {
  for (const [i, value] of listOf(name, list, `${shape.remedy}, in a list`).entries()) {
    refuse(`${name}[${i}]`, value, shape);
  }
}

function listOf(name: string, list: unknown, remedy: string): readonly unknown[] {
  if (!Array.isArray(list)) throw new TypeError(`${name} is ${shown(list)}: ${remedy}`);
  return list;
}

function refuse(name: string, value: unknown, { is, remedy }: Shape): void {
  if (!is(value)) throw new TypeError(`${name} is ${shown(value)}: ${remedy}`);
  refuseToken(name, value);
}

/**
 * Refuses a schedule, a time zone or a time that is a token. Retries, alarms and the checks of times follow from the
 * value, which is known only when the stack is deployed.
 */
function refuseToken(name: string, value: unknown): void {
  if (!isObject(value)) return;
  const { expressionString, timeZone } = value;
  const zone = isObject(timeZone) ? timeZone['timezoneName'] : undefined;
  const isTime = 'toMilliseconds' in value && 'isUnresolved' in value && (value as unknown as Duration).isUnresolved();
  if (!isTime && !Token.isUnresolved(expressionString) && !Token.isUnresolved(zone)) return;
  const part = !isTime && !Token.isUnresolved(expressionString) ? `the time zone of ${name}` : name;
  throw new TypeError(
    `${part} is a token, known only when the stack is deployed, and retries and alarms are made for its value: pass the value itself, such as one from the app's context`,
  );
}
