import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  LOCK_ALARMS,
  type LockAlarmKind,
  type LockAlarmSeverity,
} from '../../infra/constructs/alarms/alarm-options.js';
import { playSituation, SITUATIONS, type Situation } from './alarm-situations.js';

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

const withOk = (situation: Situation): Situation => ({
  ...situation,
  job: { ...situation.job, alarms: { notifyOk: true } },
});

const ALL_WELL = SITUATIONS.find(({ what }) => what === 'all well') as Situation;

/** How many messages the alarms of a situation send, to all receivers. */
function messagesOf(situation: Situation): number {
  const { alarms } = playSituation(situation, CHANCES[0] as (typeof CHANCES)[number]);
  return Object.values(alarms).flatMap(({ changes }) => changes.flatMap(({ told }) => told)).length;
}

test('row 77: a first deployment sends no message, and with notifyOk one of each new alarm that has data', () => {
  expect(messagesOf(ALL_WELL)).toBe(0);
  // The queue has no metrics before its first message.
  expect(messagesOf(withOk(ALL_WELL))).toBe(7);
});

test('row 77: with notifyOk, the receivers of an alarm are notified of its end, and nobody else is', () => {
  const [situation] = SITUATIONS.filter(({ what }) => what === 'a tick fails, its retries are used up');
  const { alarms } = playSituation(withOk(situation as Situation), CHANCES[0] as (typeof CHANCES)[number]);
  const told = (name: string) => alarms[name]?.changes.map(({ state, told: names }) => [state, ...names.map(short)]);
  const short = (topic: string) => topic.slice(0, -8);

  expect(told('DeadLetters')?.slice(-2)).toEqual([
    ['ALARM', 'Page'],
    ['OK', 'Page'],
  ]);
  expect(told('Failed')?.slice(-2)).toEqual([
    ['ALARM', 'Ticket'],
    ['OK', 'Ticket'],
  ]);
});
