import { useState } from 'preact/hooks';
import { shortInstant } from '../../../operate/times.js';
import { ask } from './feed.js';

/** The coming ticks of a job. No store knows the job's schedule, so the user must enter it. */
export function NextTicks({ name, token }: { readonly name: string; readonly token: string }) {
  const [told, setTold] = useState<readonly Date[] | string>();
  const show = async (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const query = new URLSearchParams(new FormData(event.currentTarget) as unknown as Record<string, string>);
    try {
      setTold((await ask<string[]>(token, `next?${query}`)).map((tick) => new Date(tick)));
    } catch (error) {
      setTold((error as Error).message);
    }
  };
  return (
    <form class="next" onSubmit={show} aria-label={`Next ticks of ${name}`}>
      <h3>Next ticks</h3>
      <label>
        Schedule <input name="schedule" required placeholder="0 9 * * MON-FRI" />
      </label>
      <label>
        Time zone <input name="timeZone" placeholder="UTC" />
      </label>
      <button type="submit">Show</button>
      {typeof told === 'string' && <p class="bad">{told}</p>}
      {Array.isArray(told) && (
        <ol>
          {told.map((tick: Date) => (
            <li key={tick.getTime()}>{shortInstant(tick)}</li>
          ))}
        </ol>
      )}
    </form>
  );
}
