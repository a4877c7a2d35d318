import { expect, test } from 'vitest';
import { tsc } from './tsc.js';

test('what each *.test-d.ts expects of the types is true', async () => {
  expect(await tsc(import.meta.dirname)).toBe('');
});
