import type { Execution } from '../public/execution.js';
import type { Outcome, ReleaseStatus, Skipped } from '../public/outcome.js';
import type { Task } from '../run/invocation.js';

/** A run between two points of a program; the code in between does its work. */
export interface OpenRun {
  readonly status: 'open';
  readonly execution: Execution;
  /**
   * Ends the run, as failed if an error is given. Resolves once nothing more is sent for it, and never rejects. A
   * second call changes nothing.
   *
   * @returns the result of the release; undefined if the run has failed
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
