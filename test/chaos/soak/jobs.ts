/** One scheduled job of the soak: its lock, and how it is asked for. */
export interface SoakJob {
  readonly name: string;
  readonly lockAtMostForMs: number;
  readonly keepAlive: boolean;
  readonly lockAtLeastForMs: number;
  readonly tickMark: 'success' | 'start';
  /** How long its runs work, from and to. */
  readonly worksMs: readonly [from: number, to: number];
  /**
   * Whether it also comes to hosts whose clocks are ahead. On DynamoDB what they leave behind blocks it for as much as
   * they are ahead.
   */
  readonly comesToHostsAhead: boolean;
}

type Kind = Omit<SoakJob, 'name' | 'comesToHostsAhead'>;

const PLAIN: Kind = {
  lockAtMostForMs: 1_500,
  keepAlive: false,
  lockAtLeastForMs: 0,
  tickMark: 'success',
  worksMs: [20, 400],
};

const KINDS: Readonly<Record<string, Kind>> = {
  plain: PLAIN,
  once: { ...PLAIN, tickMark: 'start' },
  /** Some of its runs take longer than their lease. */
  overrun: { ...PLAIN, lockAtMostForMs: 1_200, worksMs: [300, 2_000] },
  spaced: { ...PLAIN, lockAtMostForMs: 2_000, lockAtLeastForMs: 700, worksMs: [20, 200] },
  kept: { ...PLAIN, lockAtMostForMs: 1_000, keepAlive: true, worksMs: [20, 2_500] },
  'kept once': { ...PLAIN, lockAtMostForMs: 1_200, keepAlive: true, tickMark: 'start', worksMs: [20, 2_000] },
};

export const JOBS: readonly SoakJob[] = Object.entries(KINDS).flatMap(([kind, job]) => [
  { ...job, name: kind, comesToHostsAhead: false },
  { ...job, name: `${kind}, clocks ahead`, comesToHostsAhead: true },
]);

export const LONGEST_LEASE_MS: number = Math.max(...JOBS.map(({ lockAtMostForMs }) => lockAtMostForMs));
