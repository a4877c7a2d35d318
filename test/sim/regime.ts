import type { Random } from '../support/play/random.js';

/** What goes wrong in a simulated world, and how badly. */
export interface Regime {
  /** By how much wall clocks are wrong at most, ahead or behind. */
  readonly skewMs: number;
  /** How fast or slow monotonic clocks are at most, as a fraction. */
  readonly drift: number;
  /** Whether wall clocks are set while runs are under way. */
  readonly steps: boolean;
  /** How long hosts stand still at most. */
  readonly pauseMs: number;
  /** Whether hosts are suspended, so that their monotonic clocks stand still too. */
  readonly suspends: boolean;
  /** How much too old Date headers are at most. */
  readonly staleMs: number;
  /** The fraction of responses without a Date header. */
  readonly dateless: number;
  /** Whether operators free, pause and delete locks and list ticks. */
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
  /** Correct clocks, a bad network, crashes. */
  synchronised: CALM,
  /** Wall clocks that are wrong by up to two minutes. */
  skewed: { ...CALM, skewMs: 120_000, drift: 0.0005 },
  /** Clocks that are wrong and set, hosts that stand still for seconds, operators. */
  hostile: { ...CALM, skewMs: 120_000, drift: 0.0005, steps: true, pauseMs: 9_000, operators: true },
  /** Virtual machines that are suspended; their monotonic clocks stand still. */
  suspended: { ...CALM, skewMs: 5, suspends: true, pauseMs: 9_000 },
  /** Date headers that lag by nearly a second. */
  stale: { ...CALM, skewMs: 120_000, staleMs: 900, pauseMs: 3_000 },
  /** A proxy that removes Date headers. Clocks are wrong by less than `maxClockSkew`. */
  dateless: { ...CALM, skewMs: 400, dateless: 0.3 },
} as const satisfies Record<string, Regime>;

export type RegimeName = keyof typeof REGIMES;

/** What is played: a job on DynamoDB, on Redis or on a SQL database, or a leader election on DynamoDB or Redis. */
export type Stage = 'dynamodb' | 'redis' | 'sql' | 'election';

/** A kind of worlds: its stage and its regime. */
export interface Kind {
  readonly stage: Stage;
  readonly regime: RegimeName;
}

/** The regimes under which a stage is played. Only DynamoDB sends `Date` headers. */
export const STAGES: Readonly<Record<Stage, readonly RegimeName[]>> = {
  dynamodb: ['synchronised', 'skewed', 'hostile', 'suspended', 'stale', 'dateless'],
  redis: ['synchronised', 'skewed', 'hostile', 'suspended'],
  sql: ['synchronised', 'skewed', 'hostile', 'suspended'],
  election: ['synchronised', 'skewed', 'hostile', 'suspended', 'stale', 'dateless'],
};

/** How often messages are delayed, lost or doubled in one world. */
export interface Weather {
  readonly delayMs: number;
  readonly loseRequest: number;
  readonly loseResponse: number;
  readonly duplicate: number;
  readonly fail: number;
  readonly late: number;
  /** The fraction of messages so slow that a call sends another try, but mostly faster than the whole call. */
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
