import { describe, expect, test } from 'vitest';
import { startsNothing } from './starts-nothing.js';

describe('a test starts nothing', () => {
  test.each<[string, boolean, Readonly<Record<string, string>>]>([
    ['of values only', true, { 'a.test.ts': "import { x } from '../src/x.js';", '../src/x.ts': 'export const x = 1;' }],
    ['in a circle', true, { 'a.test.ts': "import { x } from './x.js';", 'x.ts': "import './a.test.js';" }],
    ['with a process', false, { 'a.test.ts': "import { spawn } from 'node:child_process';" }],
    ['with a server', false, { 'a.test.ts': "import { createServer } from 'node:http';" }],
    ['with DynamoDB Local', false, { 'a.test.ts': "inject('dynamoDBLocalEndpoint')" }],
    [
      'behind two files',
      false,
      {
        'a.test.ts': "export * from './b.js';",
        'b.ts': "await import('./c.js')",
        'c.ts': "import net from 'node:net';",
      },
    ],
    [
      'over a side effect',
      false,
      { 'a.test.ts': "import './b.js';", 'b.ts': "import { Worker } from 'node:worker_threads';" },
    ],
  ])('%s: %s', (_, nothing, files) => {
    expect(startsNothing('a.test.ts', (path) => files[path])).toBe(nothing);
  });
});
