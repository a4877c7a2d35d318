import { expect, test } from 'vitest';
import { pagePlaces } from '../../site/pages.js';
import { sections } from '../../site/sections.js';

test('each page of the repository stands in one section', () => {
  expect(
    sections()
      .flatMap(([, pages]) => pages)
      .sort(),
  ).toEqual([...pagePlaces().keys()].sort());
});
