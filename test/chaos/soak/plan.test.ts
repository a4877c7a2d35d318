import { expect, test } from 'vitest';
import { random } from '../../support/play/random.js';
import { CLOCKS, JOBS, LONGEST_LEASE_MS, type PlannedDelivery, planOf, SLOTS } from './plan.js';

const LASTS_MS = 60_000;
const plan = planOf(random(7), JOBS, LASTS_MS);
const deliveries = plan.filter((step): step is PlannedDelivery => step.kind === 'deliver');
const faults = plan.filter(({ kind }) => kind !== 'deliver');

test('is the same for the same seed, another one for another, and in order', () => {
  expect(planOf(random(7), JOBS, LASTS_MS)).toEqual(plan);
  expect(planOf(random(8), JOBS, LASTS_MS)).not.toEqual(plan);
  expect(plan).toEqual(plan.toSorted((a, b) => a.atMs - b.atMs));
});

test('gives each tick of each job to two workers at least, some later than others', () => {
  for (const job of JOBS) {
    for (let tickMs = 0; tickMs < LASTS_MS; tickMs += 1_000) {
      const slots = deliveries.filter((one) => one.job === job && one.tickMs === tickMs).map(({ slot }) => slot);
      expect(new Set(slots).size).toBeGreaterThanOrEqual(2);
    }
  }
  expect(deliveries.some(({ atMs, tickMs }) => atMs - tickMs > 2_000)).toBe(true);
});

test('keeps hosts that are ahead from jobs that are not for them', () => {
  const spared = deliveries.filter(({ job }) => !job.comesToHostsAhead);
  expect(new Set(spared.map(({ slot }) => SLOTS[slot]))).toEqual(new Set(['none', 'behind']));
  const others = deliveries.filter(({ job }) => job.comesToHostsAhead);
  expect(new Set(others.map(({ slot }) => SLOTS[slot]))).toEqual(new Set(SLOTS));
});

test('kills and stops, for three leases at most, and never a worker that is stopped already', () => {
  const until = new Map<number, number>();
  for (const fault of faults) {
    expect(fault.atMs).toBeGreaterThan(until.get(fault.slot) ?? 0);
    until.set(fault.slot, fault.atMs + (fault.kind === 'stop' ? fault.forMs : 0));
    if (fault.kind === 'stop') expect(fault.forMs).toBeLessThanOrEqual(3 * LONGEST_LEASE_MS);
  }
  expect(faults.filter(({ kind }) => kind === 'kill').length).toBeGreaterThan(10);
  expect(faults.filter((fault) => fault.kind === 'stop' && fault.forMs > LONGEST_LEASE_MS).length).toBeGreaterThan(5);
});

test.each([
  ['none', 0, 0],
  ['near', -3_000, 3_000],
  ['behind', -120_000, -3_000],
  ['ahead', 3_000, 120_000],
] as const)('clocks are %s: from %i to %i ms ahead', (clock, from, to) => {
  const chance = random(7);
  const aheads = Array.from({ length: 100 }, () => CLOCKS[clock](chance));

  expect(Math.min(...aheads)).toBeGreaterThanOrEqual(from);
  expect(Math.max(...aheads)).toBeLessThanOrEqual(to);
});
