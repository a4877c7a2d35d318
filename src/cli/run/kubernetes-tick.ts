import { quoted, wrongUse } from '../exit-code.js';
import type { Environment } from '../option.js';

const EARLIEST_MS = Date.UTC(2015, 0, 1);
/** How far the clock of this host may be behind that of the cluster. */
const FURTHEST_AHEAD_MS = 300_000;
const MINUTE_MS = 60_000;

/**
 * The tick of a Kubernetes CronJob, from the name of its Job. The CronJob controller names a Job after the CronJob and
 * the scheduled time: `backup-29919000`, in whole minutes since 1970 (`getJobName` in
 * pkg/controller/cronjob/cronjob_controllerv2.go of kubernetes/kubernetes). Each pod that retries the Job has the same
 * name.
 *
 * @returns undefined for a Job that was made by hand, as by `kubectl create job backup-1 --from=cronjob/backup`: its name
 *   ends with no instant from 2015 to five minutes from now
 */
function tickOfJob(jobName: string, nowMs: number): Date | undefined {
  const [, minutes = ''] = /.-([1-9]\d*)$/.exec(jobName) ?? [];
  const tickMs = Number(minutes) * MINUTE_MS;
  return tickMs >= EARLIEST_MS && tickMs <= nowMs + FURTHEST_AHEAD_MS ? new Date(tickMs) : undefined;
}

/**
 * The tick of a run with `--tick-from`; undefined for a run by hand.
 *
 * @param note gets a line that says why the run is by hand
 * @throws CliError for any word but kubernetes, and without the name of a Job in the environment
 */
export function tickFrom(
  source: string,
  env: Environment,
  nowMs: number,
  note: (words: string) => void,
): Date | undefined {
  if (source !== 'kubernetes') throw wrongUse(`--tick-from is ${quoted(source)}: the only one is kubernetes`);
  const { JOB_NAME: jobName = '' } = env;
  if (jobName === '') {
    throw wrongUse(
      "--tick-from kubernetes needs JOB_NAME: set it in the CronJob from the label metadata.labels['batch.kubernetes.io/job-name'], with fieldRef",
    );
  }
  const tick = tickOfJob(jobName, nowMs);
  if (tick === undefined) {
    note(
      `JOB_NAME is ${quoted(jobName)}, which does not end with the minutes of a scheduled time: runs by hand, without a tick`,
    );
  }
  return tick;
}
