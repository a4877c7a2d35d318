import { lockFacts } from '../../../operate/lock-summary.js';
import { runSpan, shortInstant, tickWords } from '../../../operate/times.js';
import { verdictOf } from '../../../operate/verdict.js';
import { Actions } from './actions.js';
import { linkTo } from './address.js';
import type { Job } from './feed.js';
import { State, TroubleTag } from './job-row.js';
import { NextTicks } from './next-ticks.js';
import { Durations, LargePicture, Legend } from './picture.js';
import { TROUBLE_ADVICE } from './trouble-words.js';

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
        {lock.name} <State job={lock} />
      </h2>
      <Troubles lock={lock} nowMs={nowMs} />
      {lock.state !== 'corrupt' && <p class="verdict">{verdictOf(lock.name, lock, nowMs).sentence}</p>}
      {token !== undefined && !readOnly && <Actions lock={lock} nowMs={nowMs} token={token} onChanged={onChanged} />}
      <LargePicture lock={lock} nowMs={nowMs} />
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
      <Runs lock={lock} />
    </main>
  );
}

/** What is wrong, and what to do about it. */
function Troubles({ lock, nowMs }: { readonly lock: Job; readonly nowMs: number }) {
  const { troubles = [] } = lock;
  if (troubles.length === 0) return null;
  return (
    <ul class="troubles" aria-label="What is wrong">
      {troubles.map((trouble) => (
        <li key={trouble}>
          <TroubleTag trouble={trouble} job={lock} nowMs={nowMs} /> {TROUBLE_ADVICE[trouble](lock, nowMs)}
        </li>
      ))}
    </ul>
  );
}

function Runs({ lock }: { readonly lock: Job }) {
  const { runs, overruns = [] } = lock;
  const past = new Map(overruns.map(({ fencingToken, tick }) => [fencingToken, tick]));
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
            <td>
              {durationMs === undefined ? 'unknown' : runSpan(durationMs)}
              {past.has(fencingToken) && (
                <div class="bad">past the tick {shortInstant(past.get(fencingToken) as Date)}</div>
              )}
            </td>
            <td>{tickWords(of) ?? '–'}</td>
            <td>{caughtUp ?? '–'}</td>
            <td>{fencingToken}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
