import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { LockInfo } from '../../../admin/lock-admin.js';
import { isTaken } from '../../../operate/lock-summary.js';
import { holderWords } from '../../../operate/verdict.js';
import { ask, lockPath } from './feed.js';

interface Props {
  readonly lock: LockInfo;
  readonly nowMs: number;
  readonly token: string;
  readonly onChanged: () => void;
}

/** The fields of a backfill: label, name, example. */
const OUTAGE = [
  ['From', 'from', '2026-11-20T00:00:00Z'],
  ['To', 'to', '2026-11-21T00:00:00Z'],
  ['Schedule', 'schedule', '0 * * * *'],
  ['Time zone', 'timeZone', 'UTC'],
] as const;

/** The operator's actions on a job. Each asks first, and shows its result. */
export function Actions({ lock, nowMs, token, onChanged }: Props) {
  const [result, setResult] = useState('');
  const { name, fencingToken = 0 } = lock;
  const taken = isTaken(lock);
  const act = (path: string, done: string) => async (fields: Record<string, string>) => {
    await ask(token, lockPath(name, path), fieldsOf(path, fields, fencingToken));
    setResult(done);
    onChanged();
  };
  return (
    <div class="actions">
      <Action title="Pause" done={act('pause', `${name} is paused`)}>
        <p>Every run of {name} skips until it is resumed. A run in progress goes on.</p>
        <label>
          For{' '}
          <select name="hours">
            <option value="1">an hour</option>
            <option value="8">8 hours</option>
            <option value="24">a day</option>
            <option value="">no end</option>
          </select>
        </label>
        <label>
          Who pauses <input name="by" placeholder="operator" maxLength={40} />
        </label>
      </Action>
      {lock.paused && (
        <Action title="Resume" done={act('resume', `${name} is resumed`)}>
          <p>Runs of {name} start again.</p>
        </Action>
      )}
      {taken && (
        <Action title="Unlock" done={act('unlock', `the run of ${name} is ended by force`)}>
          <p>{holderWords(lock, nowMs)}.</p>
          <p>
            The holder is not stopped: it learns at the end of its lease. Until then two runs may go on, and only their
            fencing tokens keep them apart.
          </p>
        </Action>
      )}
      <Action title="Backfill" done={act('backfill', `the ticks of ${name} are listed as open`)}>
        <p>Lists the ticks of an outage as open: a call for each of them runs then, once.</p>
        {OUTAGE.map(([label, field, example]) => (
          <label key={field}>
            {label} <input name={field} required={field !== 'timeZone'} placeholder={example} />
          </label>
        ))}
      </Action>
      {!taken && (
        <Action title="Delete" done={act('delete', `${name} is deleted`)}>
          <p>Forgets the ticks, the history and the pause of {name}: a duplicate of an old tick runs again.</p>
        </Action>
      )}
      <p class="result" role="status">
        {result}
      </p>
    </div>
  );
}

function fieldsOf(path: string, fields: Record<string, string>, fencingToken: number): object {
  if (path === 'unlock' || path === 'delete') return { fencingToken };
  if (path !== 'pause') return fields;
  const hours = Number(fields['hours']);
  return {
    ...(hours > 0 && { until: new Date(Date.now() + hours * 3_600_000) }),
    ...(fields['by'] && { by: fields['by'] }),
  };
}

interface ActionProps {
  readonly title: string;
  readonly done: (fields: Record<string, string>) => Promise<void>;
  readonly children: ComponentChildren;
}

/** A button, and the dialog that it opens. */
function Action({ title, done, children }: ActionProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const close = () => dialog.current?.close();
  const submit = async (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    setBusy(true);
    try {
      await done(fields);
      setProblem('');
      close();
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        {title}
      </button>
      <dialog ref={dialog} aria-label={title} onClose={() => setProblem('')}>
        <form onSubmit={submit}>
          <h3>{title}</h3>
          {children}
          <p class="bad" role="alert">
            {problem}
          </p>
          <div class="choice">
            <button type="button" onClick={close}>
              Cancel
            </button>
            <button type="submit" class="primary" disabled={isBusy}>
              {title}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
