import { lookAtJobs, summaryOf } from '../../operate/due-ticks.js';
import { type Examiner, type Finding, look, ok, unknown, warning } from './finding.js';

const MOST_NAMED = 5;

/** Looks for jobs that are overdue, by the schedules in their records. */
export function lookForOverdueJobs({ admin }: Examiner): Promise<Finding> {
  return look(
    'jobs',
    async () => {
      const { status, jobs } = summaryOf(await lookAtJobs(admin, undefined, {}));
      if (status === 'empty') return ok('no record has a schedule, so nothing says whether a job is overdue');
      const overdue = jobs.filter(({ overdueTick, problem }) => overdueTick ?? problem).map(({ name }) => name);
      if (overdue.length === 0) return ok(`none of ${jobs.length} is overdue`);
      const names = [...overdue.slice(0, MOST_NAMED), ...(overdue.length > MOST_NAMED ? ['…'] : [])];
      return warning(
        `${overdue.length} of ${jobs.length} overdue: ${names.join(', ')}`,
        'see since when with: single-execution check',
      );
    },
    (error) => unknown((error as Error).message, 'allow this role to list the locks'),
  );
}
