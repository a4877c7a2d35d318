import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { StoreAddress } from '../support/backends/backend.js';
import { type BundledProgram, bundledProgram } from '../support/bundled-program.js';
import { type ChildProgram, childPrograms } from '../support/child-program.js';
import type { CandidateOrder } from './candidate.js';
import { type Reign, type Tally, tally, type WitnessedWrite, witness } from './witness.js';

export interface DrillOptions {
  readonly store: StoreAddress;
  readonly witnessUrl: string;
  readonly group: string;
  readonly candidates: number;
  readonly leaseMs: number;
  readonly retryEveryMs: number;
}

/** Processes that stand for election; one of them leads. Each process that was ended is replaced. */
export interface ElectionDrill {
  /** Kills the leader or ends it by SIGTERM. @returns the milliseconds until a successor's write was accepted */
  failOver(signal: 'SIGKILL' | 'SIGTERM'): Promise<number>;
  /**
   * Suspends the leader until a successor's write was accepted. @returns also what the old leader wrote after it went
   * on
   */
  suspend(): Promise<Suspended>;
  tally(): Promise<Tally>;
  stop(): Promise<void>;
}

export interface Suspended {
  readonly tookMs: number;
  /** The term of the suspended leader, and the term of its successor. */
  readonly terms: readonly [number, number];
  /**
   * Writes of the old term after the process went on. There is at least one, because a candidate writes once after it
   * lost the lead.
   */
  readonly late: readonly WitnessedWrite[];
  readonly resumedAtMs: number;
}

const LOOK_EVERY_MS = 5;
const GIVE_UP_MS = 20_000;

export async function startElectionDrill({ witnessUrl, candidates, ...order }: DrillOptions): Promise<ElectionDrill> {
  const { group, leaseMs } = order;
  const redis = new Redis(witnessUrl);
  const seen = witness(redis, group);
  const programs = childPrograms();
  const program: BundledProgram = await bundledProgram(new URL('./candidate.ts', import.meta.url));
  const standing = new Map<string, ChildProgram>();
  let named = 0;

  const stand = async () => {
    const candidate = `c${++named}`;
    const all: CandidateOrder = { ...order, witnessUrl, candidate };
    const child = programs.start(program.path, all);
    standing.set(candidate, child);
    await child.until('stands');
  };
  const reignAfter = async (term: number): Promise<Reign> => {
    for (const giveUpAt = Date.now() + GIVE_UP_MS; Date.now() < giveUpAt; ) {
      const reign = await seen.reign();
      if (reign && reign.term > term) return reign;
      await sleep(LOOK_EVERY_MS);
    }
    throw new Error(`nobody led group "${group}" within ${GIVE_UP_MS} ms after term ${term}`);
  };
  const leader = async () => {
    const reign = await reignAfter(0);
    const process = standing.get(reign.candidate);
    if (!process) throw new Error(`${reign.candidate} leads and was ended`);
    return { reign, process };
  };
  /** @returns undefined if the leader had lost its lead before it was suspended, because the machine had stood still */
  const suspendOnce = async (): Promise<Suspended | undefined> => {
    const { reign, process } = await leader();
    const stoppedAt = Date.now();
    process.kill('SIGSTOP');
    const next = await reignAfter(reign.term);
    const resumedAtMs = Date.now();
    process.kill('SIGCONT');
    await process.until('wrote deaf', ({ term }) => term === reign.term);
    const late = (await seen.writes()).filter(({ term, atMs }) => term === reign.term && atMs >= resumedAtMs);
    if (late.every(({ assertedAtMs }) => assertedAtMs !== undefined)) return undefined;
    return { tookMs: next.sinceMs - stoppedAt, terms: [reign.term, next.term], late, resumedAtMs };
  };

  await Promise.all(Array.from({ length: candidates }, stand));
  return {
    async failOver(signal) {
      // A kill comes at a random point between two renewals.
      if (signal === 'SIGKILL') await sleep((Math.random() * leaseMs) / 3);
      const { reign, process } = await leader();
      standing.delete(reign.candidate);
      const endedAt = Date.now();
      process.kill(signal);
      const next = await reignAfter(reign.term);
      const { stderr, ...end } = await process.ended;
      const expected = signal === 'SIGKILL' ? { code: null, signal } : { code: 0, signal: null };
      if (stderr !== '' || end.code !== expected.code) throw new Error(`ended as ${JSON.stringify(end)}: ${stderr}`);
      await stand();
      return next.sinceMs - endedAt;
    },
    async suspend() {
      let suspended: Suspended | undefined;
      while (!suspended) suspended = await suspendOnce();
      return suspended;
    },
    tally: async () => tally(await seen.writes()),
    async stop() {
      await programs.stop();
      redis.disconnect();
      await program.remove();
    },
  };
}

export interface Figures {
  readonly median: number;
  readonly worst: number;
}

export function figuresOf(times: readonly number[]): Figures {
  const sorted = [...times].sort((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN, worst: sorted.at(-1) ?? Number.NaN };
}
