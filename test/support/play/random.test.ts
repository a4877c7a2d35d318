import { expect, test } from 'vitest';
import { random } from './random.js';

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
