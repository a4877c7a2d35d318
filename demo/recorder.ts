import type { Crash, Fact, History, Incident, Invocation, Work } from './history.js';

/** Writes the history of an evening down as it happens. */
export interface Recorder {
  readonly history: History;
  nowMs(): number;
  /** Notes that an invocation begins. @returns its number */
  begin(requestId: string, worker: string): number;
  /** The worker that `lockedBy` means, also while it is at work. */
  workerOf(lockedBy: string): string | undefined;
  invocation(invocation: Invocation, work: Work | undefined): void;
  incident(incident: Incident): void;
  crash(crash: Crash): void;
  fact(fact: Fact): void;
  beat(name: string): void;
  /** An instant of `performance.now()` as one of the evening. */
  sinceStart(ms: number): number;
}

export function recorder(atMostOnce: readonly string[]): Recorder {
  const startedMs = performance.now();
  const invocations: Invocation[] = [];
  const works: Work[] = [];
  const incidents: Incident[] = [];
  const crashes: Crash[] = [];
  const facts: Fact[] = [];
  const beats: string[] = [];
  const workers = new Map<string, string>();
  let lastId = 0;
  return {
    history: { atMostOnce, invocations, works, incidents, crashes, facts, beats },
    nowMs: () => performance.now() - startedMs,
    begin(requestId, worker) {
      // A retry has the request id of the first try, whose lock may have outlived it.
      if (!workers.has(requestId)) workers.set(requestId, worker);
      return ++lastId;
    },
    workerOf: (lockedBy) => workers.get(lockedBy.split(' ').at(-1) ?? ''),
    invocation(invocation, work) {
      invocations.push(invocation);
      if (invocation.ending.kind !== 'killed' && workers.get(invocation.requestId) === invocation.worker) {
        workers.delete(invocation.requestId);
      }
      if (work) works.push(work);
    },
    incident: (incident) => void incidents.push(incident),
    crash: (crash) => void crashes.push(crash),
    fact: (fact) => void facts.push(fact),
    beat: (name) => void beats.push(name),
    sinceStart: (ms) => ms - startedMs,
  };
}
