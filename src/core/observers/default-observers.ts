import type { Observer } from '../public/events.js';
import { describe } from '../values/describe.js';
import { environmentVariable } from '../values/environment.js';
import { NAMESPACE_VARIABLE, namespaceProblem } from './emf-namespace.js';
import { emfWriter, findStdout } from './emf-writer.js';
import { operatorLog, warn } from './operator-log.js';

let refused: string | undefined;

/**
 * The default observers where stdout is collected: the operator's log, and the metrics if the environment names their
 * namespace. Where CloudWatch would refuse it, one warning says so and no metrics are written.
 */
export function logAndMetrics(): readonly Observer[] {
  const namespace = environmentVariable(NAMESPACE_VARIABLE);
  // Node makes its stdout when it is first used, which takes milliseconds, so ask for it only if metrics are wanted.
  const stdout = namespace && findStdout();
  if (!namespace || !stdout) return [operatorLog];
  const problem = namespaceProblem(namespace);
  if (problem === undefined) return [operatorLog, emfWriter(namespace, stdout)];
  if (refused !== namespace)
    warn(`${NAMESPACE_VARIABLE} is ${describe(namespace)}, no metrics are written: ${problem}`);
  refused = namespace;
  return [operatorLog];
}
