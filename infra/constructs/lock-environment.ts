import { Annotations, type Duration, Stack, Token } from 'aws-cdk-lib';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LOCK_SETS_VARIABLE, NAMESPACE_VARIABLE } from '../../src/core/observers/emf-metrics.js';
import { SCHEDULE_VARIABLE, TIME_ZONE_VARIABLE } from '../../src/schedule/eventbridge.js';
import { lockSetVariable } from './alarms/lock-sets.js';
import { functionBehind, functionResource } from './attached-function.js';
import type { LockSchedule } from './lock-schedule.js';
import type { ILockTable } from './lock-table.js';
import { scheduleVariables } from './schedule-variables.js';

/**
 * The variables that only the construct may set, because it has checked their values. The value of each entry here is
 * the property that the variable follows from.
 */
const OWN_VARIABLES: Readonly<Record<string, string>> = {
  LOCK_TABLE: 'lockTable',
  LOCK_KEY_PREFIX: 'lockTable',
  LOCK_AT_MOST_FOR: 'lockAtMostFor',
  LOCK_AT_LEAST_FOR: 'lockAtLeastFor',
  [LOCK_SETS_VARIABLE]: 'lockNames',
  [NAMESPACE_VARIABLE]: 'the stack',
  [SCHEDULE_VARIABLE]: 'schedules',
  [TIME_ZONE_VARIABLE]: 'schedules',
};

export interface LockEnvironment {
  readonly lockTable: ILockTable;
  readonly lockNames: readonly string[];
  readonly lockAtMostFor?: Duration | undefined;
  readonly lockAtLeastFor?: Duration | undefined;
  /** The CloudWatch namespace of the function's metrics; undefined if the function writes none. */
  readonly namespace: string | undefined;
  readonly schedules: readonly LockSchedule[];
}

type Variables = Readonly<Record<string, string>>;

/** Lambda's quota for all variables of a function together, in bytes. */
const MOST_BYTES = 4_096;

/**
 * Makes the environment variables that a handler reads: the lock table, the times, the schedule, and the namespace and
 * the lock sets of its metrics.
 *
 * @throws RangeError if the variables exceed Lambda's quota
 */
export function lockVariables(environment: LockEnvironment): Variables {
  const { lockTable, lockNames, lockAtMostFor, lockAtLeastFor, namespace, schedules } = environment;
  const variables = {
    LOCK_TABLE: lockTable.table.tableName,
    ...(lockTable.keyPrefix !== '' && { LOCK_KEY_PREFIX: lockTable.keyPrefix }),
    ...(lockAtMostFor && { LOCK_AT_MOST_FOR: lockAtMostFor.toIsoString() }),
    ...(lockAtLeastFor && { LOCK_AT_LEAST_FOR: lockAtLeastFor.toIsoString() }),
    ...(namespace !== undefined && { [NAMESPACE_VARIABLE]: namespace, ...lockSetVariable(lockNames) }),
    ...scheduleVariables(schedules),
  };
  const bytes = Buffer.byteLength(Object.entries(variables).flat().join(''));
  if (bytes > MOST_BYTES) {
    throw new RangeError(
      `the prefixes of lockNames make an environment of ${bytes} bytes, and Lambda takes ${MOST_BYTES}: pass fewer or shorter prefixes, or move some to another function`,
    );
  }
  return variables;
}

/**
 * Sets the variables of a function, or of the function behind an alias or a version. CDK cannot change the environment
 * of an imported function, so synthesis warns which variables to set there.
 *
 * @throws TypeError if the function has another value for one of the construct's variables
 */
export function setVariables(fn: IFunction, variables: Variables): void {
  const its = functionBehind(fn);
  if (!hasEnvironment(its)) {
    const wanted = Object.entries(variables).map(([name, value]) =>
      Token.isUnresolved(value) ? `${name} to execution.environment.${name}` : `${name} to '${value}'`,
    );
    Annotations.of(fn).addWarningV2(
      'single-execution:environment',
      `${its.node.path} was imported, and its environment cannot be set here: set ${wanted.join(', ')} where it is made`,
    );
    return;
  }
  refuseOthers(fn, its, variables);
  for (const [name, value] of Object.entries(variables)) its.addEnvironment(name, value);
}

const hasEnvironment = (fn: IFunction): fn is LambdaFunction => 'addEnvironment' in fn;

/** The property of a function that keeps what set its variables, in all copies of the constructs. */
const SET_BY: unique symbol = Symbol.for('single-execution.variables-set-by.1');

function refuseOthers(fn: IFunction, its: IFunction & { [SET_BY]?: string }, variables: Variables): void {
  const stack = Stack.of(its);
  const given: Readonly<Record<string, unknown>> = stack.resolve(functionResource(its)?.environment)?.variables ?? {};
  const other = its[SET_BY];
  its[SET_BY] ??= fn.node.path;
  for (const [name, source] of Object.entries(OWN_VARIABLES)) {
    const wanted = stack.resolve(variables[name]);
    if (!(name in given) || JSON.stringify(given[name]) === JSON.stringify(wanted)) continue;
    if (other === undefined) {
      throw new TypeError(`environment has ${name}, which follows from ${source}: leave it out`);
    }
    throw new TypeError(
      `${fn.node.path} and ${other} are one function with one environment, and differ in ${name}, which follows from ${source}: set the same for both, or make a function for each`,
    );
  }
}
