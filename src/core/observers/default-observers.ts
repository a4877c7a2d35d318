import type { Observer } from '../public/events.js';
import { describe } from '../values/checks.js';
import { environmentVariable } from '../values/environment.js';
import {
  LOCK_SETS_VARIABLE,
  lockSetsProblem,
  NAMESPACE_VARIABLE,
  namespaceProblem,
  readLockSets,
} from './emf-metrics.js';
import { emfWriter, findStdout } from './emf-writer.js';
import { operatorLog, warn } from './operator-log.js';

let reported: string | undefined;

/**
 * Makes the default observers on platforms that collect stdout: the operator's log, and metrics if the environment
 * names a namespace. If CloudWatch would refuse the namespace, or the sets of locks cannot be read, one warning says so
 * and no metrics are written.
 */
export function logAndMetrics(): readonly Observer[] {
  const namespace = environmentVariable(NAMESPACE_VARIABLE);
  // Node creates its stdout at the first use, which takes milliseconds, so use it only if metrics are wanted.
  const stdout = namespace && findStdout();
  if (!namespace || !stdout) return [operatorLog];
  const sets = readLockSets(environmentVariable(LOCK_SETS_VARIABLE));
  const problem =
    refusal(NAMESPACE_VARIABLE, namespace, namespaceProblem(namespace)) ??
    refusal(LOCK_SETS_VARIABLE, sets, lockSetsProblem(sets));
  if (problem === undefined) return [operatorLog, emfWriter({ namespace, sets: sets as string[] }, stdout)];
  if (reported !== problem) warn(problem);
  reported = problem;
  return [operatorLog];
}

function refusal(variable: string, value: unknown, problem: string | undefined): string | undefined {
  return problem && `${variable} is ${describe(value)}, no metrics are written: ${problem}`;
}
