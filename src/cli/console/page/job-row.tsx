import { lockSummary, stateWords } from '../../../operate/lock-summary.js';
import { shortInstant, shortSpan } from '../../../operate/times.js';
import type { Trouble } from '../../../operate/troubles.js';
import { linkTo } from './address.js';
import type { Job } from './feed.js';
import { RowPicture } from './picture.js';
import type { Scale } from './scale.js';
import { TROUBLE_TAGS } from './trouble-words.js';

interface Props {
  readonly job: Job;
  readonly nowMs: number;
  readonly scale: Scale;
}

/** One job of the list. */
export function JobRow({ job, nowMs, scale }: Props) {
  const row = lockSummary(job, nowMs);
  const { troubles = [] } = job;
  return (
    <tr class={troubles.length > 0 ? 'trouble' : ''}>
      <th scope="row">
        <a href={linkTo(job.name)}>{job.name}</a>
      </th>
      <td data-label="State" class="tags">
        <State job={job} />
        {troubles.map((trouble) => (
          <TroubleTag key={trouble} trouble={trouble} job={job} nowMs={nowMs} />
        ))}
        {job.problem && <div class="bad problem-of-job">{job.problem}</div>}
      </td>
      <td class="wide" data-label="Last runs">
        <RowPicture lock={job} scale={scale} />
      </td>
      <td data-label="Holder" class={row.holder === undefined ? 'none' : ''}>
        {row.holder ?? '–'}
        {row.tick && (
          <div class="quiet nowrap">
            tick <Instant at={row.tick} nowMs={nowMs} />
          </div>
        )}
        {row.isManual && <div class="quiet">by hand</div>}
        {row.ageMs !== undefined && (
          <div class="quiet">
            for {shortSpan(row.ageMs)}
            {row.leftMs !== undefined && row.leftMs > 0 && `, ${shortSpan(row.leftMs)} left`}
          </div>
        )}
      </td>
      <td class="nowrap" data-label="Last result">
        {row.lastResult ?? '–'}
        {row.lastTick && (
          <div class="quiet">
            tick <Instant at={row.lastTick} nowMs={nowMs} />
          </div>
        )}
        {row.isLastManual && <div class="quiet">by hand</div>}
      </td>
      <td class="nowrap" data-label="Next tick">
        {job.nextTick ? <Instant at={job.nextTick} nowMs={nowMs} /> : '–'}
      </td>
    </tr>
  );
}

export function State({ job }: { readonly job: Job }) {
  return <span class={`state ${job.state}`}>{stateWords(job)}</span>;
}

/** A trouble in a few words. The state of a corrupt record says it already. */
export function TroubleTag({
  trouble,
  job,
  nowMs,
}: {
  readonly trouble: Trouble;
  readonly job: Job;
  readonly nowMs: number;
}) {
  return trouble === 'corrupt' ? null : <span class="tag bad">{TROUBLE_TAGS[trouble](job, nowMs)}</span>;
}

/** An instant in UTC, without what it has in common with the present: its year, and its seconds if they are 0. */
function Instant({ at, nowMs }: { readonly at: Date; readonly nowMs: number }) {
  const text = shortInstant(at);
  const isOfThisYear = at.getUTCFullYear() === new Date(nowMs).getUTCFullYear();
  const short = text
    .replace('T', ' ')
    .replace(/(:00)?Z$/, '')
    .slice(isOfThisYear ? 5 : 0);
  return (
    <time dateTime={text} title={text}>
      {short}
    </time>
  );
}
