import { expect, test } from 'vitest';
import { publicDoors, publicSymbols } from './public-declarations.js';

const symbols = publicSymbols(publicDoors());

test('every symbol that a door shows has a comment, and so has each of its members', () => {
  const bare = symbols.filter(({ comment }) => comment === '').map(({ file, name }) => `${file}: ${name}`);

  expect(symbols.length).toBeGreaterThan(700);
  expect(bare).toEqual([]);
});

test('every function and class of a door has an example, which the test of examples compiles', () => {
  const called = symbols.filter((symbol) => symbol.called);
  const bare = called.filter(({ comment }) => !/@example\n \* ```ts\n/.test(comment.replace(/^ +/gm, ' ')));

  expect(called.length).toBeGreaterThan(45);
  expect(bare.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});
