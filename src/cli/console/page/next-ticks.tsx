import { useEffect, useState } from 'preact/hooks';
import { shortInstant } from '../../../operate/times.js';
import { ask, type Job } from './feed.js';

/** The coming ticks of a job, by the schedule in its record. If the record has none, the user must enter it. */
export function NextTicks({ lock, token }: { readonly lock: Job; readonly token: string }) {
  const { name, schedule, nextTick } = lock;
  const [answer, setAnswer] = useState<readonly Date[] | string>();
  const show = async (query: URLSearchParams) => {
    try {
      setAnswer((await ask<string[]>(token, `next?${query}`)).map((tick) => new Date(tick)));
    } catch (error) {
      setAnswer((error as Error).message);
    }
  };
  const firstMs = nextTick?.getTime();
  useEffect(() => {
    if (schedule !== undefined && firstMs !== undefined) void show(new URLSearchParams({ schedule }));
  }, [schedule, firstMs]);
  const ticks = (
    <>
      {typeof answer === 'string' && <p class="bad">{answer}</p>}
      {Array.isArray(answer) && (
        <ol>
          {answer.map((tick: Date) => (
            <li key={tick.getTime()}>{shortInstant(tick)}</li>
          ))}
        </ol>
      )}
    </>
  );
  if (schedule !== undefined) {
    return (
      <section class="next" aria-label={`Next ticks of ${name}`}>
        <h3>
          Next ticks <small>of {schedule}</small>
        </h3>
        {ticks}
      </section>
    );
  }
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    void show(new URLSearchParams(new FormData(event.currentTarget) as unknown as Record<string, string>));
  };
  return (
    <form class="next" onSubmit={submit} aria-label={`Next ticks of ${name}`}>
      <h3>Next ticks</h3>
      <label>
        Schedule <input name="schedule" required placeholder="0 9 * * MON-FRI" />
      </label>
      <label>
        Time zone <input name="timeZone" placeholder="UTC" />
      </label>
      <button type="submit">Show</button>
      {ticks}
    </form>
  );
}
