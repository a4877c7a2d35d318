import { expect, test } from 'vitest';
import { dateOf } from '../../../src/core/values/tick.js';

test('shows an instant as a Date, and none as none', () => {
  expect(dateOf(1_767_225_600_000)).toEqual(new Date('2026-01-01T00:00:00Z'));
  expect(dateOf(0)).toEqual(new Date('1970-01-01T00:00:00Z'));
  expect(dateOf(undefined)).toBeUndefined();
});
