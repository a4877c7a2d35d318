import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ACQUIRE, CANCEL, EXTEND, MARK, RELEASE } from '../../src/stores/redis/scripts.js';
import { SIM_BUGS } from './sim-bugs.js';

test('each bug has a name of its own, and the docs count them', () => {
  const page = readFileSync(new URL('../../docs/reliability.md', import.meta.url), 'utf8');

  expect(new Set(SIM_BUGS.map(({ name }) => name)).size).toBe(SIM_BUGS.length);
  expect(page).toContain(`breaks the library in ${SIM_BUGS.length} ways`);
});

test.each(SIM_BUGS.filter(({ script }) => script))(
  'some script has the text that a bug changes: $name',
  ({ script }) => {
    const texts = [ACQUIRE, CANCEL, EXTEND, MARK, RELEASE].map(({ text }) => text);
    expect(texts.filter((text) => script?.(text) !== text)).toHaveLength(1);
  },
);
