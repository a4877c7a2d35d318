import { useEffect, useRef } from 'preact/hooks';
import { showView, type View } from './address.js';
import { CHOICES } from './found-jobs.js';
import { RANGES } from './scale.js';

interface Props {
  readonly view: View;
  /** How many jobs each choice has, among those that are found by name. */
  readonly counts: ReadonlyMap<string, number>;
  /** How many jobs are found by name. */
  readonly found: number;
  /** The range that suits the jobs. */
  readonly suitable: string;
}

/** What cuts the list: words, one button for each state that a job is in, and the time that is shown. */
export function FilterBar({ view, counts, found, suitable }: Props) {
  const input = useSlashKey();
  const clear = (event: KeyboardEvent) => {
    if (event.key === 'Escape') showView({ find: '', page: 1 });
  };
  const choices = CHOICES.filter(({ name }) => (counts.get(name) ?? 0) > 0 || name === view.show);
  return (
    <search class="filter">
      <div class="fields">
        <label>
          Find{' '}
          <input
            ref={input}
            type="search"
            placeholder="name or holder"
            aria-keyshortcuts="/"
            value={view.find}
            onInput={({ currentTarget }) => showView({ find: currentTarget.value, page: 1 })}
            onKeyDown={clear}
          />
        </label>
        <kbd>/</kbd>
        <label>
          Last runs of{' '}
          <select value={view.range ?? ''} onChange={({ currentTarget }) => showView({ range: currentTarget.value })}>
            <option value="">{suitable} (fits)</option>
            {RANGES.map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </div>
      <fieldset class="choices">
        <legend>Show</legend>
        <Choice name="" label="All" count={found} view={view} />
        {choices.map(({ name, label, isTrouble }) => (
          <Choice
            key={name}
            name={name}
            label={label}
            count={counts.get(name) ?? 0}
            view={view}
            isTrouble={isTrouble}
          />
        ))}
      </fieldset>
    </search>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly count: number;
  readonly view: View;
  readonly isTrouble?: boolean;
}

function Choice({ name, label, count, view, isTrouble = false }: ChoiceProps) {
  return (
    <button
      type="button"
      class={isTrouble && count > 0 ? 'trouble' : ''}
      aria-pressed={view.show === name}
      onClick={() => showView({ show: name, page: 1 })}
    >
      {label} <span class="count">{count.toLocaleString('en')}</span>
    </button>
  );
}

/** Puts the cursor into the field when `/` is pressed, unless the user writes into another one. */
function useSlashKey() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const writes = (event.target as Element).closest('input, select, textarea, dialog');
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || writes) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return input;
}
