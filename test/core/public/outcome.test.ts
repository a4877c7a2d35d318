import { isSkipped } from 'single-execution';
import { expect, test } from 'vitest';
import { SKIP_REASONS } from '../../support/skip-reasons.js';

test.each(SKIP_REASONS)('row 43: isSkipped recognises a skip with the reason %s', (reason) => {
  expect(isSkipped({ status: 'skipped', name: 'digest', reason })).toBe(true);
});

test('row 43: isSkipped recognises a skip that was sent as JSON', () => {
  const skipped = { status: 'skipped', name: 'digest', reason: 'locked', tick: '2026-01-01T00:00:00.000Z' };

  expect(isSkipped(JSON.parse(JSON.stringify(skipped)))).toBe(true);
});

test.each<[unknown]>([
  [undefined],
  [null],
  ['skipped'],
  [0],
  [() => {}],
  [[]],
  [{}],
  [{ status: 'skipped' }],
  [{ status: 'skipped', name: 'digest' }],
  [{ status: 'skipped', name: 'digest', reason: 'no orders today' }],
  [{ status: 'skipped', name: 5, reason: 'locked' }],
  [{ status: 'executed', name: 'digest', reason: 'locked' }],
])("row 43: isSkipped does not take a handler's own result for a skip: %o", (value) => {
  expect(isSkipped(value)).toBe(false);
});
