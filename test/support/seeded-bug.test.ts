import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SIM_BUGS } from '../sim/sim-bugs.js';
import { brokenFiles, brokenProgram, type Edit } from './seeded-bug.js';

const SOURCE = `
const ONE = 1;
function sum(a: number, b: number): number {
  return add(
    a,
    b,
  );
}
const add = (a: number, b: number) => a + b;
`;

function broken(...edits: Edit[]): string | undefined {
  return brokenFiles({ name: 'it errs', edits }, () => SOURCE).get('x.ts');
}

test('a text is found in its declaration, wherever lines are broken', () => {
  expect(broken(['x.ts#sum', 'return add(a, b);', 'return 0;'])).toBe(
    SOURCE.replace(/return add\([^)]*\);/, 'return 0;'),
  );
});

test('edits of one file are made one after another', () => {
  expect(broken(['x.ts#ONE', '1', '2'], ['x.ts#ONE', '= 2', '= 3'])).toBe(SOURCE.replace('ONE = 1', 'ONE = 3'));
});

test.each<[string, Edit, string]>([
  ['whose text is missing', ['x.ts#sum', 'a - b', ''], `"it errs": 'a - b' stands 0 times in x.ts#sum:\nfunction sum(`],
  ['whose text stands in another declaration', ['x.ts#sum', 'a + b', ''], "'a + b' stands 0 times in x.ts#sum"],
  ['whose text is doubled', ['x.ts#sum', 'number', ''], "'number' stands 3 times in x.ts#sum"],
  ['whose declaration is gone', ['x.ts#two', '1', ''], `"it errs": x.ts has no declaration 'two', only ONE, sum, add`],
])('an edit %s is an error', (_, edit, message) => {
  expect(() => broken(edit)).toThrow(message);
});

test('a bug in a file that the program does not use is an error', async () => {
  const bug = {
    name: 'elsewhere',
    edits: [['leader/term.ts#isLeading', 'leadership !== undefined', 'leadership === undefined']] as const,
  };
  await expect(brokenProgram('src/stores/memory.ts', bug)).rejects.toThrow(
    '"elsewhere": src/stores/memory.ts does not use leader/term.ts',
  );
});

test('every bug that the simulation finds can be made', () => {
  for (const bug of SIM_BUGS) expect(brokenFiles(bug).size, bug.name).toBeGreaterThan(0);
});

test('the docs count the bugs', () => {
  const page = readFileSync(new URL('../../docs/reliability.md', import.meta.url), 'utf8');
  expect(page).toContain(`breaks the library in ${SIM_BUGS.length} ways`);
});
