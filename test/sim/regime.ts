import type { Random } from '../support/play/random.js';

/** What goes wrong in a simulated world, and how badly. */
export interface Regime {
  /** Wall clocks are wrong by up to so much. */
  readonly skewMs: number;
  /** Monotonic clocks are fast or slow by up to this part. */
  readonly drift: number;
  /** Wall clocks are set while runs are under way. */
  readonly steps: boolean;
  /** Hosts stand still for up to so long. */
  readonly pauseMs: number;
  /** Hosts are suspended with their monotonic clocks. */
  readonly suspends: boolean;
  /** Date headers are as much as this too old. */
  readonly staleMs: number;
  /** Part of the responses that carry no Date header. */
  readonly dateless: number;
  /** Operators free locks by force, and pause jobs. */
  readonly operators: boolean;
}

const CALM: Regime = {
  skewMs: 5,
  drift: 0,
  steps: false,
  pauseMs: 0,
  suspends: false,
  staleMs: 0,
  dateless: 0,
  operators: false,
};

export const REGIMES = {
  /** True clocks, a bad network, crashes. */
  synchronised: CALM,
  /** Wall clocks up to two minutes wrong. */
  skewed: { ...CALM, skewMs: 120_000, drift: 0.0005 },
  /** Clocks that are wrong and set, hosts that stand still for seconds. */
  hostile: { ...CALM, skewMs: 120_000, drift: 0.0005, steps: true, pauseMs: 9_000, operators: true },
  /** Virtual machines that are suspended; their monotonic clocks stand still. */
  suspended: { ...CALM, skewMs: 5, suspends: true, pauseMs: 9_000 },
  /** Date headers that lag by nearly a second. */
  stale: { ...CALM, skewMs: 120_000, staleMs: 900, pauseMs: 3_000 },
  /** A proxy that strips Date headers; clocks within maxClockSkew. */
  dateless: { ...CALM, skewMs: 400, dateless: 0.3 },
} as const satisfies Record<string, Regime>;

export type RegimeName = keyof typeof REGIMES;

/** A job on DynamoDB, on Redis or on a database, or the election of a leader on one of the first two. */
export type Stage = 'dynamodb' | 'redis' | 'sql' | 'election';

/** The regimes that a stage can be played under: only DynamoDB sends `Date` headers. */
export const STAGES: Readonly<Record<Stage, readonly RegimeName[]>> = {
  dynamodb: ['synchronised', 'skewed', 'hostile', 'suspended', 'stale', 'dateless'],
  redis: ['synchronised', 'skewed', 'hostile', 'suspended'],
  sql: ['synchronised', 'skewed', 'hostile', 'suspended'],
  election: ['synchronised', 'skewed', 'hostile', 'suspended', 'stale', 'dateless'],
};

/** How messages fare in one world. */
export interface Weather {
  readonly delayMs: number;
  readonly loseRequest: number;
  readonly loseResponse: number;
  readonly duplicate: number;
  readonly fail: number;
  readonly late: number;
  /** Part of the messages that take longer than a try stays alone, and often no longer than its call. */
  readonly slow: number;
}

export function weather(chance: Random): Weather {
  const bad = chance.pick([0, 0.02, 0.08, 0.2]);
  return {
    delayMs: chance.pick([5, 30, 150]),
    loseRequest: bad,
    loseResponse: bad,
    duplicate: bad / 4,
    fail: bad / 2,
    late: bad / 2,
    slow: chance.pick([0, 0, 0.1, 0.3]),
  };
}
