import { expect, test } from 'vitest';
import { readSettings } from '../../demo/settings.js';
import { UsageError } from '../support/play/command.js';

test('fills in what is not said', () => {
  expect(readSettings(['--seed', '7'])).toEqual({ seed: 7, seconds: 30, engine: 'auto', help: false });
  expect(readSettings([]).seed).toBeGreaterThan(0);
});

test('reads every option', () => {
  expect(readSettings(['--seed=0', '--seconds', '600', '--engine', 'dynalite', '--help'])).toEqual({
    seed: 0,
    seconds: 600,
    engine: 'dynalite',
    help: true,
  });
});

test.each([
  [['--seconds', '19'], "--seconds is '19': give a whole number from 20 to 600"],
  [['--seconds', '601'], '--seconds'],
  [['--seconds', '1e2'], '--seconds'],
  [['--seed', '-1'], '--seed'],
  [['--seed', '1.5'], "--seed is '1.5'"],
  [['--engine', 'mysql'], "--engine is 'mysql'"],
  [['--sedd', '1'], '--sedd'],
  [['now'], 'now'],
])('refuses %j', (args, message) => {
  expect(() => readSettings(args)).toThrow(UsageError);
  expect(() => readSettings(args)).toThrow(message);
});
