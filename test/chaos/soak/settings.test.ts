import { expect, test } from 'vitest';
import { UsageError } from '../../support/play/command.js';
import { readSettings } from './settings.js';

test('fills in what is not said', () => {
  expect(readSettings(['--seed', '7'])).toEqual({
    seed: 7,
    minutes: 1,
    stores: ['dynamodb', 'redis', 'upstash'],
    help: false,
  });
  expect(readSettings([]).seed).toBeGreaterThan(0);
});

test('reads every option', () => {
  expect(readSettings(['--seed=0', '--minutes', '600', '--store', 'upstash', '--help'])).toEqual({
    seed: 0,
    minutes: 600,
    stores: ['upstash'],
    help: true,
  });
});

test.each([
  [['--minutes', '0'], "--minutes is '0': give a whole number from 1 to 600"],
  [['--minutes', '0.5'], '--minutes'],
  [['--seed', '-1'], '--seed'],
  [['--store', 'mysql'], "--store is 'mysql': give dynamodb, redis, upstash or all"],
  [['--store', ''], '--store'],
  [['--stores', 'all'], '--stores'],
  [['now'], 'now'],
])('refuses %j', (args, message) => {
  expect(() => readSettings(args)).toThrow(UsageError);
  expect(() => readSettings(args)).toThrow(message);
});
