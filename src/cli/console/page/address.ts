import { useEffect, useState } from 'preact/hooks';

/** What the page shows, by its address: so a link shows the same to somebody else. */
export interface View {
  /** The page of this job; the list if absent. */
  readonly job?: string | undefined;
  /** Only jobs with these words in their name or their holder. */
  readonly find: string;
  /** Only jobs with this trouble, or in this state. */
  readonly show: string;
  /** The span of time in the list; the one that suits the jobs if absent. */
  readonly range?: string | undefined;
  /** The page of the list, from 1. */
  readonly page: number;
}

const CHANGED = 'viewchange';

/** The parameters behind `#` in the address. No server and no log sees them. */
export function address(): URLSearchParams {
  return new URLSearchParams(location.hash.slice(1));
}

/** The address of a job's page, or of the list. What the list shows stays. */
export function linkTo(job?: string): string {
  return `#${changed({ job })}`;
}

/** Shows something else, without a new entry in the browser's history. */
export function showView(change: Partial<View>): void {
  history.replaceState(null, '', `#${changed(change)}`);
  dispatchEvent(new Event(CHANGED));
}

function changed(change: Partial<View>): URLSearchParams {
  const to = address();
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === '' || value === 1) to.delete(name);
    else to.set(name, String(value));
  }
  return to;
}

function viewNow(): View {
  const at = address();
  return {
    job: at.get('job') ?? undefined,
    find: at.get('find') ?? '',
    show: at.get('show') ?? '',
    range: at.get('range') ?? undefined,
    page: Math.max(1, Math.trunc(Number(at.get('page'))) || 1),
  };
}

export function useView(): View {
  const [view, setView] = useState(viewNow);
  useEffect(() => {
    const look = () => setView(viewNow());
    for (const event of ['hashchange', CHANGED]) addEventListener(event, look);
    return () => {
      for (const event of ['hashchange', CHANGED]) removeEventListener(event, look);
    };
  }, []);
  return view;
}
