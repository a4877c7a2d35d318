import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diagram } from '../../site/diagram.js';

const DOCS = join(import.meta.dirname, '../../docs');

const sequence = (...steps: string[]) =>
  ['sequenceDiagram', 'accTitle: A "run"', 'participant A as Host A', 'participant S as Store', ...steps].join('\n');

test('a message spans from the middle of its sender to the middle of its receiver, each in a row of its own', () => {
  const drawn = diagram(
    sequence('participant B as Host B', 'A->>S: take the lock', 'B->>S: take it', 'S-->>A: granted'),
  );

  expect(drawn).toContain('class="solid right" style="grid-area:2/2/auto/4"');
  expect(drawn).toContain('class="solid left" style="grid-area:3/4/auto/6"');
  expect(drawn).toContain('class="dashed left" style="grid-area:4/2/auto/4"');
});

test('a message that is lost looks unlike one that arrives', () => {
  expect(diagram(sequence('S--xA: the answer'))).toContain('class="lost left"');
});

test('a note stands below its participant', () => {
  expect(diagram(sequence('Note over S: killed'))).toContain('class="note" style="grid-area:2/3/auto/5"');
});

test('states are columns; what begins or stays in a state stands below it', () => {
  const drawn = diagram(
    'stateDiagram-v2\n  accTitle: A life\n  [*] --> held: begins\n  held --> released: the run ends\n',
  );

  expect(drawn).toContain('style="grid-area:1/3/auto/5">released');
  expect(drawn).toContain('class="note" style="grid-area:2/1/auto/3"');
  expect(drawn).toContain('class="solid right" style="grid-area:3/2/auto/4"');
});

test('screen readers hear a title, and of each step who does it', () => {
  const drawn = diagram(sequence('A->>S: take the lock', 'Note over S: free'));

  expect(drawn).toContain('aria-label="A &quot;run&quot;"');
  expect(drawn).toContain('>Host A to Store: </span>take the lock');
  expect(drawn).toContain('>Store: </span>free');
});

test('text cannot become markup', () => {
  expect(diagram(sequence('A->>S: <b>&'))).toContain('&lt;b&gt;&amp;');
});

test.each([
  [sequence('loop every minute'), 'loop every minute'],
  ['sequenceDiagram\n  A->>B: take the lock', 'accTitle'],
  ['flowchart LR\n  accTitle: A flow\n  A --> B', 'flowchart'],
])('what would not be drawn fails: %j', (code, said) => {
  expect(() => diagram(code)).toThrow(said);
});

test('every diagram of the docs can be drawn', () => {
  const pages = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
  const blocks = pages.flatMap((page) => {
    const found = readFileSync(join(DOCS, page), 'utf8').matchAll(/^```mermaid\n(.*?)^```/gms);
    return [...found].map(([, code = '']) => code);
  });

  expect(blocks).not.toEqual([]);
  for (const code of blocks) expect(diagram(code)).toContain('<figure');
});
