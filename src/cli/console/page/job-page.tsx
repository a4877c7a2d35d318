import type { RunInfo } from '../../../admin/lock-admin.js';
import { lockFacts } from '../../../operate/lock-summary.js';
import { runSpan, shortInstant, tickWords } from '../../../operate/times.js';
import { verdictOf } from '../../../operate/verdict.js';
import { Actions } from './actions.js';
import { type Job, linkTo } from './feed.js';
import { Overdue, State } from './job-list.js';
import { NextTicks } from './next-ticks.js';
import { Durations, Legend, Picture } from './picture.js';

interface Props {
  readonly lock: Job;
  readonly nowMs: number;
  /** The token of the console's API; absent in a report. */
  readonly token?: string;
  readonly readOnly: boolean;
  readonly onChanged: () => void;
}

/** The page of one job. */
export function JobPage({ lock, nowMs, token, readOnly, onChanged }: Props) {
  return (
    <main>
      <p>
        <a href={linkTo()}>All jobs</a>
      </p>
      <h2>
        {lock.name} <State lock={lock} /> {lock.overdueTick && <Overdue tick={lock.overdueTick} nowMs={nowMs} />}
      </h2>
      <p class="verdict">{verdictOf(lock.name, lock, nowMs).sentence}</p>
      {token !== undefined && !readOnly && <Actions lock={lock} nowMs={nowMs} token={token} onChanged={onChanged} />}
      <Picture lock={lock} nowMs={nowMs} large />
      <Legend />
      <div class="columns">
        <section>
          <h3>Now</h3>
          <dl>
            {lockFacts(lock, nowMs).map(([label, words]) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{words}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section>
          <h3>Durations{lock.leaseMs !== undefined && <small> and the lease, {runSpan(lock.leaseMs)}</small>}</h3>
          <Durations lock={lock} />
          {token !== undefined && <NextTicks lock={lock} token={token} />}
        </section>
      </div>
      <h3>Last runs</h3>
      <Runs runs={lock.runs} />
    </main>
  );
}

function Runs({ runs }: { readonly runs: readonly RunInfo[] }) {
  if (runs.length === 0) return <p>No run has ended yet.</p>;
  return (
    <table class="runs">
      <thead>
        <tr>
          <th>Locked at</th>
          <th>Result</th>
          <th>Duration</th>
          <th>Tick</th>
          <th>Caught up</th>
          <th>Token</th>
        </tr>
      </thead>
      <tbody>
        {runs.map(({ fencingToken, status, lockedAt, durationMs, caughtUp, ...of }) => (
          <tr key={fencingToken}>
            <td>{shortInstant(lockedAt)}</td>
            <td class={status === 'succeeded' ? '' : 'bad'}>{status}</td>
            <td>{durationMs === undefined ? 'unknown' : runSpan(durationMs)}</td>
            <td>{tickWords(of) ?? '–'}</td>
            <td>{caughtUp ?? '–'}</td>
            <td>{fencingToken}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
