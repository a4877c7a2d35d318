import fc from 'fast-check';
import type { LockEvent } from 'single-execution';
import { expect, test } from 'vitest';
import { type Candidate, type ElectionScene, electionScene, RETRY } from './election-scene.js';

const STEPS = 10_000;
const STEPS_A_RUN = 250;
const PLACES = 4;

type Step =
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'boot' | 'stop' | 'kill' | 'sleep' | 'wake'; readonly place: number }
  | { readonly kind: 'stepWall'; readonly place: number; readonly ms: number }
  | {
      readonly kind: 'fault';
      readonly place: number;
      readonly verb: 'acquire' | 'extend' | 'release';
      readonly faults: readonly ('lose-request' | 'lose-response' | 'hang' | { readonly delayMs: number })[];
    };

const place = fc.nat(PLACES - 1);
const fault = fc.oneof(
  fc.constantFrom('lose-request', 'lose-response', 'hang'),
  fc.record({ delayMs: fc.integer({ min: 1, max: 5_000 }) }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.integer({ min: 1, max: 6_000 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('boot'), place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('stop', 'kill', 'sleep'), place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wake'), place }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('stepWall'), place, ms: fc.integer({ min: -60_000, max: 60_000 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('fault'),
      place,
      verb: fc.constantFrom('acquire', 'extend', 'release'),
      faults: fc.array(fault, { minLength: 1, maxLength: 8 }),
    }),
  },
) as fc.Arbitrary<Step>;

/** Processes that come and go, at most one a place, and all that they were told. */
function fleet(scene: ElectionScene) {
  const running: (Candidate | undefined)[] = Array(PLACES).fill(undefined);
  const stopped: Candidate[] = [];
  const terms: number[] = [];
  const breaches: string[] = [];
  const seen = new Set<LockEvent['type'] | 'term'>();
  let booted = 0;

  const boot = (at: number) => {
    const name = `process ${booted++}`;
    const candidate: Candidate = scene.candidate(name, {
      observers: [({ type }) => seen.add(type)],
      onStarted({ term }) {
        const leaders = scene.leaders().join();
        if (leaders !== name) breaches.push(`${name} begins, and ${leaders || 'nobody'} leads`);
        if (term <= (terms.at(-1) ?? 0)) breaches.push(`term ${term} after ${terms.at(-1)}`);
        terms.push(term);
        if (term % 5 === 0) throw new Error('boom');
      },
    });
    candidate.election.start();
    running[at] = candidate;
  };

  return {
    running,
    terms,
    seen,
    /** What must not be, as things stand. */
    breaches(): string[] {
      const leaders = scene.leaders();
      const late = stopped.filter(({ election }) => election.isLeader()).map(({ name }) => `${name} leads after stop`);
      return [...breaches, ...late, ...(leaders.length > 1 ? [`${leaders} lead`] : [])];
    },
    async take(one: Step): Promise<void> {
      if (one.kind === 'pass') return scene.clock.advance(one.ms);
      const candidate = running[one.place];
      if (one.kind === 'boot' && !candidate) boot(one.place);
      if (!candidate) return;
      const { host, election, faults } = candidate;
      // A clock that is set back while its machine sleeps hides the sleep: even places sleep, odd places' clocks step.
      const sleeps = one.place % 2 === 0;
      if (one.kind === 'sleep' && sleeps) host.suspend();
      if (one.kind === 'wake') host.resume();
      if (one.kind === 'stepWall' && !sleeps) host.stepWall(one.ms);
      if (one.kind === 'fault') faults.next(one.verb, ...one.faults);
      if (one.kind === 'kill') host.kill();
      if (one.kind === 'stop') {
        stopped.push(candidate);
        void election.stop();
      }
      if (one.kind === 'kill' || one.kind === 'stop') running[one.place] = undefined;
    },
  };
}

test('row 41: never two leaders, and rising terms, over 10,000 steps of kills, sleeps, faults and clocks that step', async () => {
  const told = new Set<string>();
  let ledBy = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: STEPS_A_RUN, maxLength: STEPS_A_RUN, size: 'max' }), async (steps) => {
      const scene = electionScene();
      // Lets the timeout of this test have its turn.
      await new Promise((resolve) => setImmediate(resolve));
      const { running, terms, seen, breaches, take } = fleet(scene);
      await take({ kind: 'boot', place: 0 });
      await scene.clock.advance(0);
      for (const one of steps) {
        await take(one);
        // Processes are killed and sent to sleep between two turns of their loop.
        await scene.clock.advance(0);
        expect(breaches()).toEqual([]);
      }

      // And when all is well again somebody leads: after what is still planned to go wrong, 5 s at most each.
      for (let at = 0; at < PLACES; at++) await take({ kind: 'wake', place: at });
      await take({ kind: 'boot', place: 1 });
      let waitedMs = 0;
      while (scene.leaders().length === 0 && waitedMs < 3_600_000) {
        await scene.clock.advance(RETRY);
        waitedMs += RETRY;
      }
      expect(scene.leaders()).toHaveLength(1);
      expect(breaches()).toEqual([]);
      for (const candidate of running) candidate?.host.kill();
      ledBy += terms.length;
      for (const type of seen) told.add(type);
    }),
    // A shorter sequence that fails would take longer to find than the seed is worth.
    { numRuns: STEPS / STEPS_A_RUN, endOnFailure: true },
  );

  expect(ledBy).toBeGreaterThan(STEPS / STEPS_A_RUN);
  expect([...told].sort()).toEqual(
    expect.arrayContaining([
      'acquire-failed',
      'extend-failed',
      'extended',
      'failed',
      'lost',
      'recovered',
      'release-failed',
      'skipped',
    ]),
  );
}, 300_000);
