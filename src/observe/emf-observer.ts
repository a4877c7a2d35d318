import { EMF_NAMESPACE } from '../core/observers/emf-metrics.js';
import { NAMESPACE_VARIABLE, namespaceProblem } from '../core/observers/emf-namespace.js';
import { emfWriter, findStdout } from '../core/observers/emf-writer.js';
import type { Observer } from '../core/public/events.js';
import { describe } from '../core/values/describe.js';
import { environmentVariable } from '../core/values/environment.js';
import { checkKnown, namesOf } from '../core/values/option-checks.js';

export interface EmfOptions {
  /** CloudWatch namespace of the metrics. @default env SINGLE_EXECUTION_NAMESPACE, else 'SingleExecution' */
  readonly namespace?: string;
}

/**
 * Makes an observer that writes one line of CloudWatch's Embedded Metric Format on stdout for each event that has a
 * metric; it calls nothing and needs no permission. A lock name that CloudWatch refuses as a dimension appears
 * percent-encoded, as in a URI.
 *
 * @throws TypeError for an unknown option, a namespace that is no string, or where there is no stdout
 * @throws RangeError for a namespace that CloudWatch would refuse
 */
export function emfObserver(options: EmfOptions = {}): Observer {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`options is ${describe(options)}: give an object with namespace, or nothing`);
  }
  checkKnown(options, namesOf<EmfOptions>({ namespace: true }));
  const namespace = namespaceOf(options.namespace);
  const stdout = findStdout();
  if (!stdout) {
    throw new TypeError(
      'process.stdout.write is undefined: EMF works where stdout is collected, as on Lambda; elsewhere pass an observer of your own',
    );
  }
  return emfWriter(namespace, stdout);
}

/** The option; else the environment variable, if it is not empty; else the default. */
function namespaceOf(option: unknown): string {
  const [source, namespace] =
    option === undefined
      ? [NAMESPACE_VARIABLE, environmentVariable(NAMESPACE_VARIABLE) || EMF_NAMESPACE]
      : ['namespace', option];
  if (typeof namespace !== 'string') {
    throw new TypeError(`${source} is ${describe(namespace)}: give a CloudWatch namespace, such as '${EMF_NAMESPACE}'`);
  }
  const problem = namespaceProblem(namespace);
  if (problem !== undefined) throw new RangeError(`${source} is ${describe(namespace)}: ${problem}`);
  return namespace;
}
