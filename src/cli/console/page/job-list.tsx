import { useState } from 'preact/hooks';
import type { LockInfo } from '../../../admin/lock-admin.js';
import { lockSummary, missedCount, openCount, stateWords } from '../../../operate/lock-summary.js';
import { shortInstant, shortSpan } from '../../../operate/times.js';
import { linkTo } from './feed.js';
import { Legend, Picture } from './picture.js';

export function JobList({ locks, nowMs }: { readonly locks: readonly LockInfo[]; readonly nowMs: number }) {
  const [wanted, setWanted] = useState('');
  const shown = locks.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <main>
      <div class="bar-of-list">
        <label>
          Find <input type="search" value={wanted} onInput={({ currentTarget }) => setWanted(currentTarget.value)} />
        </label>
        <span class="quiet">
          {shown.length} of {locks.length} jobs; times in UTC
        </span>
      </div>
      <table class="jobs">
        <thead>
          <tr>
            <th>Job</th>
            <th>State</th>
            <th class="wide">Last runs</th>
            <th>Holder</th>
            <th>Last result</th>
            <th>Not done</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((lock) => (
            <Job key={lock.name} lock={lock} nowMs={nowMs} />
          ))}
        </tbody>
      </table>
      {shown.length === 0 && <p>{locks.length === 0 ? 'No locks yet.' : 'No job has this in its name.'}</p>}
      <Legend />
    </main>
  );
}

function Job({ lock, nowMs }: { readonly lock: LockInfo; readonly nowMs: number }) {
  const row = lockSummary(lock, nowMs);
  return (
    <tr>
      <th scope="row">
        <a href={linkTo(lock.name)}>{lock.name}</a>
      </th>
      <td data-label="State">
        <State lock={lock} />
        {lock.problem && <div class="bad">{lock.problem}</div>}
      </td>
      <td class="wide" data-label="Last runs">
        <Picture lock={lock} nowMs={nowMs} />
      </td>
      <td data-label="Holder">
        {row.holder ?? '–'}
        {row.tick && <div class="quiet nowrap">tick {shortInstant(row.tick)}</div>}
        {row.isManual && <div class="quiet">by hand</div>}
        {row.ageMs !== undefined && <div class="quiet">for {shortSpan(row.ageMs)}</div>}
        {row.leftMs !== undefined && row.leftMs > 0 && <div class="quiet">{shortSpan(row.leftMs)} left</div>}
      </td>
      <td class="nowrap" data-label="Last result">
        {row.lastResult ?? '–'}
        {row.lastTick && <div class="quiet">tick {shortInstant(row.lastTick)}</div>}
        {row.isLastManual && <div class="quiet">by hand</div>}
        {row.failuresInARow > 1 && <div class="bad">{row.failuresInARow} in a row</div>}
      </td>
      <td class="nowrap" data-label="Not done">
        {row.openTicks.length === 0 ? '–' : <span class="bad">{openCount(row)}</span>}
        {row.missedTicks.length > 0 && <div class="quiet">{missedCount(row)} missed</div>}
      </td>
    </tr>
  );
}

export function State({ lock }: { readonly lock: LockInfo }) {
  return <span class={`state ${lock.state}`}>{stateWords(lock)}</span>;
}
