import {
  EMF_DEFAULTS,
  EMF_METRICS,
  EMF_NAMESPACE,
  type EmfMetric,
  LOCK_SETS_VARIABLE,
  lockSetsProblem,
  NAMESPACE_VARIABLE,
  namespaceProblem,
  readLockSets,
} from '../core/observers/emf-metrics.js';
import { emfWriter, findStdout } from '../core/observers/emf-writer.js';
import type { Observer } from '../core/public/events.js';
import { checkKnown, describe, namesOf } from '../core/values/checks.js';
import { environmentVariable } from '../core/values/environment.js';

/** Options of `emfObserver`. */
export interface EmfOptions {
  /** CloudWatch namespace of the metrics. @default env SINGLE_EXECUTION_NAMESPACE, else 'SingleExecution' */
  readonly namespace?: string;
  /** Metrics to write in addition to the six defaults. @default [] */
  readonly metrics?: readonly EmfMetric[];
  /**
   * Prefixes of lock names, such as `tenant-sync/*`. All locks with the same prefix share metrics.
   *
   * @default env SINGLE_EXECUTION_LOCK_SETS, else []
   */
  readonly lockSets?: readonly string[];
}

/**
 * Makes an observer that writes one line of CloudWatch's Embedded Metric Format on stdout for each event that has a
 * metric, and for each skip; it sends no request and needs no permission. A lock name that CloudWatch refuses as a
 * dimension appears percent-encoded, as in a URI.
 *
 * @example
 * ```ts
 * import { executeWithLock } from 'single-execution';
 * import { memoryStore } from 'single-execution/memory';
 * import { emfObserver } from 'single-execution/observe';
 *
 * const observers = [emfObserver({ namespace: 'Jobs' })];
 * await executeWithLock(() => 'done', { name: 'update', store: memoryStore(), lockAtMostFor: '1m', observers });
 * ```
 *
 * @throws TypeError for an unknown option or metric, a namespace that is not a string, or if there is no stdout
 * @throws RangeError for a namespace that CloudWatch would refuse
 */
export function emfObserver(options: EmfOptions = {}): Observer {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`options is ${describe(options)}: pass an object with namespace, metrics, or nothing`);
  }
  checkKnown(options, namesOf<EmfOptions>({ namespace: true, metrics: true, lockSets: true }));
  const namespace = namespaceOf(options.namespace);
  const metrics = [...EMF_DEFAULTS, ...metricsOf(options.metrics)];
  const sets = lockSetsOf(options.lockSets);
  const stdout = findStdout();
  if (!stdout) {
    throw new TypeError(
      'process.stdout.write is undefined: EMF needs a stdout that is collected, as on Lambda; elsewhere pass an observer of your own',
    );
  }
  return emfWriter({ namespace, metrics, sets }, stdout);
}

/** Reads the namespace: from the option, else from the environment variable if it is not empty, else the default. */
function namespaceOf(option: unknown): string {
  const [source, namespace] =
    option === undefined
      ? [NAMESPACE_VARIABLE, environmentVariable(NAMESPACE_VARIABLE) || EMF_NAMESPACE]
      : ['namespace', option];
  if (typeof namespace !== 'string') {
    throw new TypeError(`${source} is ${describe(namespace)}: pass a CloudWatch namespace, such as '${EMF_NAMESPACE}'`);
  }
  const problem = namespaceProblem(namespace);
  if (problem !== undefined) throw new RangeError(`${source} is ${describe(namespace)}: ${problem}`);
  return namespace;
}

function metricsOf(option: unknown): readonly EmfMetric[] {
  if (option === undefined) return [];
  const known = Object.keys(EMF_METRICS);
  const others = known.filter((name) => !(EMF_DEFAULTS as readonly string[]).includes(name)).join(', ');
  if (!Array.isArray(option)) throw new TypeError(`metrics is ${describe(option)}: pass a list of ${others}`);
  const stray = option.find((name) => !known.includes(name));
  if (stray !== undefined) throw new TypeError(`metrics has ${describe(stray)}: pass a list of ${others}`);
  return option;
}

/** Reads the lock sets: from the option, else from the environment variable. */
function lockSetsOf(option: unknown): readonly string[] {
  const [source, sets] =
    option === undefined
      ? [LOCK_SETS_VARIABLE, readLockSets(environmentVariable(LOCK_SETS_VARIABLE))]
      : ['lockSets', option];
  const problem = lockSetsProblem(sets);
  if (problem !== undefined) throw new TypeError(`${source} is ${describe(sets)}: ${problem}`);
  return sets as readonly string[];
}
