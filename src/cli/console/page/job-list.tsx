import { useState } from 'preact/hooks';
import type { LockInfo } from '../../../admin/lock-admin.js';
import { lockSummary, missedCount, openCount, stateWords } from '../../../operate/lock-summary.js';
import { shortInstant, shortSpan } from '../../../operate/times.js';
import { type Job, linkTo } from './feed.js';
import { Legend, Picture } from './picture.js';

/** The jobs, overdue ones first. */
export function JobList({ locks, nowMs }: { readonly locks: readonly Job[]; readonly nowMs: number }) {
  const [wanted, setWanted] = useState('');
  const found = locks.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  const isOverdue = ({ overdueTick }: Job) => overdueTick !== undefined;
  const shown = [...found.filter(isOverdue), ...found.filter((lock) => !isOverdue(lock))];
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
            <th>Next</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((lock) => (
            <Row key={lock.name} lock={lock} nowMs={nowMs} />
          ))}
        </tbody>
      </table>
      {shown.length === 0 && <p>{locks.length === 0 ? 'No locks yet.' : 'No job has this in its name.'}</p>}
      <Legend />
    </main>
  );
}

function Row({ lock, nowMs }: { readonly lock: Job; readonly nowMs: number }) {
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
      <td class="nowrap" data-label="Next">
        <Next lock={lock} nowMs={nowMs} />
      </td>
    </tr>
  );
}

function Next({ lock, nowMs }: { readonly lock: Job; readonly nowMs: number }) {
  const { overdueTick, nextTick, scheduleProblem } = lock;
  return (
    <>
      {overdueTick && <Overdue tick={overdueTick} nowMs={nowMs} />}
      {scheduleProblem && <span class="bad">unreadable schedule</span>}
      {nextTick && <div class={overdueTick ? 'quiet' : ''}>{shortInstant(nextTick)}</div>}
      {!overdueTick && !scheduleProblem && !nextTick && '–'}
    </>
  );
}

export function Overdue({ tick, nowMs }: { readonly tick: Date; readonly nowMs: number }) {
  return <span class="tag overdue">overdue {shortSpan(nowMs - tick.getTime())}</span>;
}

export function State({ lock }: { readonly lock: LockInfo }) {
  return <span class={`state ${lock.state}`}>{stateWords(lock)}</span>;
}
