import fc from 'fast-check';
import type { ContractHarness } from 'single-execution/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { startBackends, warmUp } from '../support/backends/stage.js';
import { kindsWith } from '../support/backends.js';
import { STORE_BUGS } from '../support/bugs/store-bugs.js';
import { memoryHarness } from '../support/contract-harness.js';
import { fakeHarness } from '../support/fake-table.js';
import { REFUSAL_REASONS } from '../support/skip-reasons.js';
import { OLD_TICKS, type Operation, sequence } from './equality-operations.js';
import { transcriptOf } from './equality-transcript.js';

/** Enough to see each answer of the stores. EQUALITY_SEQUENCES=N tries more, as the nightly search does. */
const SEQUENCES = Number(process.env['EQUALITY_SEQUENCES'] ?? 100);
/** The number of sequences for stores in memory, where they cost little. */
const IN_MEMORY = 1_000;
/** How many sequences are played at the same time, each lane with its own seed. */
const LANES = 20;

const [TICK_MS, NEXT_TICK_MS] = OLD_TICKS;

/** Every kind of answer of the stores, as a transcript shows it. */
const TOLD = [
  ...['acquired', 'marked'].map((status) => `"status":"${status}"`),
  ...REFUSAL_REASONS.map((why) => `"reason":"${why}"`),
  ...['succeeded', 'failed', 'crashed', 'forced'].map((how) => `"previous":{"status":"${how}"`),
  ...['extended', 'released', 'lost', 'forced', 'listed', 'changed', 'LockStoreError UNAVAILABLE'].map(
    (word) => `: "${word}"`,
  ),
  ...['held', 'released', 'forced'].map((state) => `"state":"${state}"`),
  `"tickMs":${TICK_MS},"doneTickMs":${NEXT_TICK_MS}`,
  ...['openTicksMs', 'failedTicksMs'].map((list) => `"${list}":[${TICK_MS}`),
  ...['[{"status":"succeeded"', '[{"status":"failed"', ',{"status":"crashed"'],
];

const acquires = (tickMs: number): Operation => {
  return { on: 'a', verb: 'acquire', tickMs, markTickAtStart: false, dies: false };
};
const releases = (result: 'succeeded' | 'failed'): Operation => {
  const [markTickDone, markTickFailed] = [result === 'succeeded', result === 'failed'];
  const ticks = { markTickDone, markTickFailed, missedTicksMs: [], givenUpTicksMs: [], failedTickMs: undefined };
  return { on: 'a', verb: 'release', back: 0, result, holds: false, ...ticks };
};
/** A failed tick is done after a newer tick. Random sequences seldom contain this. */
const OLDER_TICK: Operation[] = [
  ...[acquires(TICK_MS), releases('failed')],
  ...[acquires(NEXT_TICK_MS), releases('succeeded')],
  ...[acquires(TICK_MS), releases('succeeded')],
];

/** Every store beside the one in memory. */
const KINDS = kindsWith('processes');
const stage = await startBackends(...KINDS);
afterAll(() => stage.stop());
// Otherwise the first calls of all lanes also load and connect all clients, at the same time.
for (const kind of KINDS) await warmUp(stage.on(kind).store);

describe('equality of stores', () => {
  const stores = Object.fromEntries(
    KINDS.map((kind) => [kind, stage.on(kind).engine.harness(stage.on(kind).address, stage.on(kind))]),
  );

  test(
    `memory, ${KINDS.join(', ')} and the fake table answer and keep the same in ${SEQUENCES} sequences of operations`,
    async () => {
      const untold = new Set(TOLD);
      let failing: number | undefined;
      const check = async (lane: number, operations: readonly Operation[]) => {
        // Once a lane has found a difference, only this lane goes on, to shrink its sequence.
        if (failing !== undefined && failing !== lane) return;
        try {
          // New harnesses for stores with a turned clock: a shared clock would disturb the other lanes.
          const transcript = await agreed({ memory: memoryHarness(), fake: fakeHarness(), ...stores }, operations);
          for (const words of untold) if (transcript.includes(words)) untold.delete(words);
        } catch (error) {
          failing ??= lane;
          if (failing === lane) throw error;
        }
      };
      const lanes = Array.from({ length: LANES }, (_, lane) => {
        const agree = fc.asyncProperty(sequence, (operations) => check(lane, operations));
        // With the same seed, all lanes would play the same sequences.
        const seed = Number(fc.readConfigureGlobal().seed) + lane;
        return fc.assert(agree, { seed, numRuns: SEQUENCES / LANES, examples: lane === 0 ? [[OLDER_TICK]] : [] });
      });
      await Promise.all(lanes);

      expect([...untold], 'what no sequence came by').toEqual([]);
    },
    // Ends what hangs. On a busy machine a sequence takes a second.
    SEQUENCES * 6_000,
  );
});

// test/testing/bugs.test.ts shows that the contract finds every bug; these two differ in an answer, and in a record.
test.each(['refuses what is open', 'does not resume'])('a store that %s is found out', async (name) => {
  const broken = STORE_BUGS.find((bug) => bug.name === name);
  const other = memoryHarness(broken?.make());
  const agree = fc.asyncProperty(sequence, async (operations) => {
    await agreed({ memory: memoryHarness(), other }, operations);
  });
  const { errorInstance } = await fc.check(agree, { numRuns: IN_MEMORY });

  expect(String(errorInstance)).toContain('Not alike:');
});

/** The transcript, if it is the same for all stores. @throws Error with the sequence and each store's answers */
async function agreed(
  harnesses: Readonly<Record<string, ContractHarness>>,
  operations: readonly Operation[],
): Promise<string> {
  const played = Object.entries(harnesses).map(
    async ([store, harness]) => [store, await transcriptOf(harness, operations)] as const,
  );
  const transcripts = await Promise.all(played);
  const differing = operations.findIndex((_, step) => new Set(transcripts.map(([, lines]) => lines[step])).size > 1);
  const [[, lines] = ['', []]] = transcripts;
  if (differing === -1) return lines.join('\n');
  const versions = transcripts.map(([store, told]) => `${store}: ${told[differing]}`);
  throw new Error(['Alike:', ...lines.slice(0, differing), 'Not alike:', ...versions].join('\n'));
}
