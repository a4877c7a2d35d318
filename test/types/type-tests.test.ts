import { expect, test } from 'vitest';
import { tsc } from './tsc.js';

// The settings of this repository are unknown to TypeScript 5.
test.each(['6', '7'] as const)('TypeScript %s: what each *.test-d.ts expects of the types is true', async (version) => {
  expect(await tsc(version, import.meta.dirname)).toBe('');
});
