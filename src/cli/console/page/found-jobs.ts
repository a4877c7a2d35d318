import { isTaken, stateWithoutPause } from '../../../operate/lock-summary.js';
import { type Job, TROUBLES, type Trouble } from '../../../operate/troubles.js';

/** What the list can be cut to, beside all jobs: in the order of its buttons. */
export interface Choice {
  readonly name: string;
  readonly label: string;
  readonly isTrouble: boolean;
  readonly has: (job: Job) => boolean;
}

const TROUBLE_LABELS: Readonly<Record<Trouble, string>> = {
  corrupt: 'Corrupt',
  overdue: 'Overdue',
  expired: 'Lease over',
  'too-long': 'Held too long',
  failing: 'Failing',
  'long-pause': 'Paused past a tick',
  open: 'Ticks not done',
};

export const CHOICES: readonly Choice[] = [
  { name: 'trouble', label: 'In trouble', isTrouble: true, has: ({ troubles }) => troubles !== undefined },
  ...TROUBLES.map((trouble) => ({
    name: trouble as string,
    label: TROUBLE_LABELS[trouble],
    isTrouble: true,
    has: ({ troubles }: Job) => troubles?.includes(trouble) ?? false,
  })),
  { name: 'held', label: 'Held', isTrouble: false, has: (job) => stateWithoutPause(job) === 'held' },
  { name: 'paused', label: 'Paused', isTrouble: false, has: ({ state }) => state === 'paused' },
  ...(['waiting', 'free', 'forced', 'unused'] as const).map((state) => ({
    name: state,
    label: state[0]?.toUpperCase() + state.slice(1),
    isTrouble: false,
    has: (job: Job) => job.state === state,
  })),
];

/** How many jobs each choice has. */
export function countsOf(jobs: readonly Job[]): ReadonlyMap<string, number> {
  const counts = new Map(CHOICES.map(({ name }) => [name, 0]));
  for (const job of jobs) {
    for (const { name, has } of CHOICES) if (has(job)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** Jobs with every one of the words in their name, or in that of their holder. */
export function jobsWith(jobs: readonly Job[], words: string): readonly Job[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return jobs;
  return jobs.filter((job) => {
    const text = `${job.name}\n${isTaken(job) ? job.lockedBy : ''}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** Jobs of one choice; all of them for a choice that is unknown. */
export function jobsOf(jobs: readonly Job[], show: string): readonly Job[] {
  const choice = CHOICES.find(({ name }) => name === show);
  return choice ? jobs.filter(choice.has) : jobs;
}
