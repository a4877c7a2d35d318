import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  LOCK_ALARMS,
  type LockAlarmKind,
  type LockAlarmSeverity,
  type LockAlarmsOptions,
} from '../../infra/constructs/alarms/alarm-options.js';
import { playSituation, SITUATIONS, type Situation } from './alarm-situations.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** The least and the most that CloudWatch may take. */
const CHANCES = [
  { extraPeriods: 0, delayMinutes: 0 },
  { extraPeriods: 5, delayMinutes: 3 },
] as const;

describe.each(CHANCES)(
  'row 77: with $extraPeriods more periods fetched, metrics $delayMinutes minutes late',
  (chance) => {
    test.each(SITUATIONS)('row 77: $what', (situation) => {
      expect(playSituation(situation, chance).rings).toEqual(situation.rings);
    });
  },
);

function row({ what, rings }: Situation): string {
  const cell = (severity: LockAlarmSeverity) =>
    Object.entries(rings)
      .filter(([name]) => LOCK_ALARMS[(name.charAt(0).toLowerCase() + name.slice(1)) as LockAlarmKind] === severity)
      .map(([name, how]) => `\`${name}\`${how === 'once' ? '' : ` ${how}`}`)
      .join(', ');
  return `| ${what} | ${cell('page') || '–'} | ${cell('ticket') || '–'} |`;
}

test('row 77: docs/reliability.md has this table', () => {
  const page = readFileSync(new URL('../../docs/reliability.md', import.meta.url), 'utf8');

  expect(page).toContain(['| situation | page | ticket |', '|---|---|---|', ...SITUATIONS.map(row)].join('\n'));
});

test('row 77: a first deployment sends no message, and with notifyOk one of each new alarm that has data', () => {
  const [allWell] = SITUATIONS as readonly [Situation];
  /** How many messages the alarms of the situation send, to all receivers. */
  const messages = (alarms: LockAlarmsOptions) => {
    const scene = playSituation({ ...allWell, job: { ...allWell.job, alarms } }, CHANCES[0]);
    return Object.values(scene.alarms).flatMap(({ changes }) => changes.flatMap(({ told }) => told)).length;
  };

  expect(messages({})).toBe(0);
  // The queue has no metrics before its first message.
  expect(messages({ notifyOk: true })).toBe(7);
});
