import { expect, test } from 'vitest';
import { publicDoors, publicSymbols } from './public-declarations.js';

const symbols = publicSymbols(publicDoors());

test('every symbol that a door shows has a comment, and so has each of its members', () => {
  const bare = symbols.filter(({ comment }) => comment === '').map(({ file, name }) => `${file}: ${name}`);

  expect(symbols.length).toBeGreaterThan(700);
  expect(bare).toEqual([]);
});
