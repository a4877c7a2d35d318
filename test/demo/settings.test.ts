import { expect, test } from 'vitest';
import { readSettings } from '../../demo/settings.js';
import { UsageError } from '../support/play/command.js';
import { random } from '../support/play/random.js';

test('fills in what is not said', () => {
  expect(readSettings(['--seed', '7'])).toEqual({ seed: 7, seconds: 30, workers: 4, engine: 'auto', help: false });
  expect(readSettings([]).seed).toBeGreaterThan(0);
});

test('reads every option', () => {
  expect(readSettings(['--seed=0', '--seconds', '600', '--workers', '16', '--engine', 'dynalite', '--help'])).toEqual({
    seed: 0,
    seconds: 600,
    workers: 16,
    engine: 'dynalite',
    help: true,
  });
});

test.each([
  [['--seconds', '9'], "--seconds is '9': give a whole number from 10 to 600"],
  [['--seconds', '601'], '--seconds'],
  [['--seconds', '1e2'], '--seconds'],
  [['--seed', '-1'], '--seed'],
  [['--seed', '1.5'], "--seed is '1.5'"],
  [['--workers', '2'], '--workers'],
  [['--engine', 'mysql'], "--engine is 'mysql'"],
  [['--sedd', '1'], '--sedd'],
  [['now'], 'now'],
])('refuses %j', (args, message) => {
  expect(() => readSettings(args)).toThrow(UsageError);
  expect(() => readSettings(args)).toThrow(message);
});

test('the same seed draws the same, and one part leaves the others alone', () => {
  const draw = (seed: number) => {
    const chance = random(seed);
    return [chance.whole(1, 1_000), chance.pick(['a', 'b', 'c']), chance.shuffled([1, 2, 3, 4]), chance.chance(0.5)];
  };
  const parts = random(7);
  const before = parts.fork('acme').whole(1, 1_000_000);
  parts.whole(1, 6);

  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  expect(parts.fork('acme').whole(1, 1_000_000)).toBe(before);
});
