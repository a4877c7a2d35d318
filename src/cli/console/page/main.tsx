import { options, render } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { shortInstant, shortSpan } from '../../../operate/times.js';
import { byUrgency } from '../../../operate/troubles.js';
import { safeText } from '../../safe-text.js';
import { linkTo, useView } from './address.js';
import { ask, type Changes, type Feed, type Job, readFeed, withChanges } from './feed.js';
import { JobList } from './job-list.js';
import { JobPage } from './job-page.js';
import { Hatch } from './picture.js';

/** How often a page asks the console. The console itself reads the store less often. */
const LOOK_EVERY_MS = 2_000;
const SECOND_MS = 1_000;

interface PageData {
  readonly store: string;
  readonly readOnly: boolean;
  /** How often the console reads the store; absent in a report. */
  readonly refreshMs?: number;
  /** The most urgent ones first. */
  readonly locks: readonly Job[];
  /** Whether these are all jobs, or the first of many that are still being read. */
  readonly isWhole: boolean;
  readonly at: Date;
}

function Page({ feed }: { readonly feed: Feed }) {
  const { data, problem, look } = usePageData(feed);
  const nowMs = useNow(feed);
  const view = useView();
  const { job } = view;
  const lock = data?.locks.find(({ name }) => name === job);
  return (
    <>
      <Hatch />
      <header>
        <h1>
          <a href={linkTo()}>Locks</a>
        </h1>
        <span>{data?.store}</span>
        {feed.kind === 'report' && <span class="tag">report of {shortInstant(feed.at)}</span>}
        {data?.refreshMs !== undefined && <span>reads the store at most every {shortSpan(data.refreshMs)}</span>}
        {data?.readOnly && feed.kind === 'live' && <span class="tag">read-only</span>}
      </header>
      {problem && (
        <p class="problem" role="alert">
          {problem}
          {data && `; this is what it said at ${shortInstant(data.at)}`}
        </p>
      )}
      {!data && !problem && <p>Asking the store…</p>}
      {data && job === undefined && <JobList jobs={data.locks} nowMs={nowMs} view={view} isWhole={data.isWhole} />}
      {data?.isWhole && job !== undefined && !lock && (
        <main>
          <p>
            No job of the name {job}. <a href={linkTo()}>All jobs</a>
          </p>
        </main>
      )}
      {data && lock && (
        <JobPage
          key={lock.name}
          lock={lock}
          nowMs={nowMs}
          {...(feed.kind === 'live' && { token: feed.token })}
          readOnly={data.readOnly}
          onChanged={look}
        />
      )}
    </>
  );
}

/** The data that the page shows: the latest answer of the console, asked again and again, or the data of a report. */
function usePageData(feed: Feed): { data: PageData | undefined; problem: string; look: () => void } {
  const [data, setData] = useState<PageData | undefined>(() =>
    feed.kind === 'report'
      ? { ...feed, locks: feed.locks.toSorted(byUrgency), isWhole: true, readOnly: true }
      : undefined,
  );
  const [problem, setProblem] = useState('');
  const last = useRef({ revision: 0, locks: [] as readonly Job[], isWhole: false });
  const look = useCallback(async () => {
    if (feed.kind === 'report') return;
    try {
      const about = await ask<Omit<PageData, 'locks' | 'isWhole' | 'at'>>(feed.token, 'console');
      for (let more = true; more; ) {
        const { revision } = last.current;
        const changes = await ask<Changes>(feed.token, `changes?after=${revision}`);
        more = changes.more;
        // Another look may have been answered meanwhile.
        if (last.current.revision !== revision) continue;
        const locks = withChanges(last.current.locks, changes);
        last.current = { revision: changes.revision, locks, isWhole: last.current.isWhole || !more };
        setData({ ...about, locks, isWhole: last.current.isWhole, at: new Date() });
      }
      setProblem('');
    } catch (error) {
      setProblem((error as Error).message);
    }
  }, [feed]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let hasEnded = false;
    const again = async () => {
      // A hidden page sends no requests.
      if (!document.hidden) await look();
      if (!hasEnded && feed.kind === 'live') timer = setTimeout(again, LOOK_EVERY_MS);
    };
    void again();
    return () => {
      hasEnded = true;
      clearTimeout(timer);
    };
  }, [feed, look]);
  return { data, problem, look: () => void look() };
}

/** The instant that the page shows: that of the report, or the current time, updated each second. */
function useNow(feed: Feed): number {
  const [nowMs, setNow] = useState(feed.kind === 'report' ? feed.at.getTime() : Date.now());
  useEffect(() => {
    if (feed.kind === 'report') return;
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, [feed]);
  return nowMs;
}

/** Makes each text and each label safe, as the terminal does: marks that change the writing direction are escaped. */
function showSafeTexts(): void {
  options.vnode = (vnode: { readonly type: unknown; props: unknown }) => {
    const { type, props } = vnode;
    // For Preact, a text is a node without a type.
    if (typeof props === 'string') vnode.props = safeText(props);
    if (typeof type !== 'string') return;
    const labelled = props as { 'aria-label'?: unknown };
    if (typeof labelled['aria-label'] === 'string') labelled['aria-label'] = safeText(labelled['aria-label']);
  };
}

showSafeTexts();
render(<Page feed={readFeed()} />, document.getElementById('app') as HTMLElement);
