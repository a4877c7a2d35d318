import type { Execution } from '../public/execution.js';
import type { Outcome, ReleaseStatus, Skipped } from '../public/outcome.js';
import type { Task } from '../run/invocation.js';

/** A run whose work others do, between two points of a program. */
export interface OpenRun {
  readonly status: 'open';
  readonly execution: Execution;
  /**
   * Ends the run, as failed where an error is given. Resolves once nothing more is sent for it, and never rejects.
   * Called again it changes nothing.
   *
   * @returns what became of the release; undefined where the run has failed
   */
  end(failure?: { readonly error: unknown }): Promise<ReleaseStatus | undefined>;
}

/**
 * Starts a run that lasts until it is ended.
 *
 * @param start runs a task under the lock
 */
export function openRun(start: (task: Task<void>) => Promise<Outcome<void>>): Promise<OpenRun | Skipped> {
  return new Promise((resolve, reject) => {
    const outcome = start((execution) => {
      return new Promise<void>((succeed, fail) => {
        const end: OpenRun['end'] = async (failure) => {
          if (failure) fail(failure.error);
          else succeed();
          const ended = await outcome.catch(() => undefined);
          return ended?.status === 'executed' ? ended.release : undefined;
        };
        resolve({ status: 'open', execution, end });
      });
    });
    outcome.then((ended) => ended.status === 'skipped' && resolve(ended), reject);
  });
}
