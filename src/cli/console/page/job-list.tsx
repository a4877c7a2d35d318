import { useMemo } from 'preact/hooks';
import { showView, type View } from './address.js';
import type { Job } from './feed.js';
import { FilterBar } from './filter-bar.js';
import { countsOf, jobsOf, jobsWith } from './found-jobs.js';
import { JobRow } from './job-row.js';
import { Legend, ListAxis } from './picture.js';
import { RANGES, type Scale, scaleOf, suitableRange } from './scale.js';

/** The most jobs on one page of the list. */
const MOST_ROWS = 100;
/** The range fits the first of the jobs that are shown. */
const FITTED = 50;

interface Props {
  /** The most urgent ones first. */
  readonly jobs: readonly Job[];
  readonly nowMs: number;
  readonly view: View;
  /** Whether these are all jobs, or the first of many that are still being read. */
  readonly isWhole: boolean;
}

/** The jobs, those in trouble first. */
export function JobList({ jobs, nowMs, view, isWhole }: Props) {
  const { find, show } = view;
  const found = useMemo(() => jobsWith(jobs, find), [jobs, find]);
  const counts = useMemo(() => countsOf(found), [found]);
  const shown = useMemo(() => jobsOf(found, show), [found, show]);
  const first = Math.min(view.page - 1, Math.max(0, Math.ceil(shown.length / MOST_ROWS) - 1)) * MOST_ROWS;
  // Not at each change of a job: the pictures would jump.
  const suitable = useMemo(
    () => suitableRange(shown.slice(first, first + FITTED), nowMs),
    [find, show, first, shown.length > 0],
  );
  const [, , lengthMs] = RANGES.find(([name]) => name === view.range) ?? suitable;
  const scale = scaleOf(lengthMs, nowMs);
  return (
    <main>
      <FilterBar view={view} counts={counts} found={found.length} suitable={suitable[1]} />
      {shown.length > 0 && <Legend />}
      <div class="bar-of-list">
        <span class="quiet" role="status">
          {shown.length.toLocaleString('en')} of {jobs.length.toLocaleString('en')} jobs
          {isWhole ? '' : ', more are being read'}; times in UTC
        </span>
        <Pager first={first} count={shown.length} />
      </div>
      {shown.length > 0 && <Jobs jobs={shown.slice(first, first + MOST_ROWS)} nowMs={nowMs} scale={scale} />}
      {shown.length === 0 && isWhole && <Nothing jobs={jobs} find={find} />}
      {shown.length > MOST_ROWS && (
        <div class="bar-of-list">
          <Pager first={first} count={shown.length} />
        </div>
      )}
    </main>
  );
}

function Jobs({
  jobs,
  nowMs,
  scale,
}: {
  readonly jobs: readonly Job[];
  readonly nowMs: number;
  readonly scale: Scale;
}) {
  return (
    <table class="jobs">
      <thead>
        <tr>
          <th>Job</th>
          <th>State</th>
          <th class="wide">
            <span class="hidden">Last runs</span>
            <ListAxis scale={scale} />
          </th>
          <th>Holder</th>
          <th>Last result</th>
          <th>Next tick</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <JobRow key={job.name} job={job} nowMs={nowMs} scale={scale} />
        ))}
      </tbody>
    </table>
  );
}

function Nothing({ jobs, find }: { readonly jobs: readonly Job[]; readonly find: string }) {
  if (jobs.length === 0) return <p>No locks yet: a job appears after its first call.</p>;
  return (
    <p>
      {find ? `No job that is shown here has "${find}" in its name or its holder.` : 'No job is in this state now.'}{' '}
      <button type="button" onClick={() => showView({ find: '', show: '', page: 1 })}>
        Show all jobs
      </button>
    </p>
  );
}

/** Leads to the other pages of a list; nothing for a list of one page. */
function Pager({ first, count }: { readonly first: number; readonly count: number }) {
  if (count <= MOST_ROWS) return null;
  const page = first / MOST_ROWS + 1;
  const turn = (to: number) => () => {
    showView({ page: to });
    scrollTo(0, 0);
  };
  return (
    <nav class="pager" aria-label="Pages">
      <button type="button" disabled={page === 1} onClick={turn(page - 1)}>
        Previous
      </button>
      <span>
        {(first + 1).toLocaleString('en')}–{Math.min(count, first + MOST_ROWS).toLocaleString('en')}
      </span>
      <button type="button" disabled={first + MOST_ROWS >= count} onClick={turn(page + 1)}>
        Next
      </button>
    </nav>
  );
}
