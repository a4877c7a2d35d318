import { afterEach, describe, expect, test, vi } from 'vitest';
import { playSituation, SITUATIONS } from './alarm-situations.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

const CHANCES = [
  { extraPeriods: 2, delayMinutes: 1 },
  { extraPeriods: 0, delayMinutes: 0 },
  { extraPeriods: 5, delayMinutes: 3 },
];

describe.each(CHANCES)(
  'row 77: with $extraPeriods more periods fetched, metrics $delayMinutes minutes late',
  (chance) => {
    test.each(SITUATIONS)('row 77: $what', (situation) => {
      expect(playSituation(situation, chance).rings).toEqual(situation.rings);
    });
  },
);
