import { expect, test, vi } from 'vitest';
import { nodeBinary } from './node-binary.js';

test('gives the Node of this process when it is of that version', async () => {
  const versions = { value: { node: '22.1.0' } };
  vi.stubGlobal('process', Object.create(process, { versions }));

  expect(await nodeBinary(22)).toBe(process.execPath);
});

test('gives the Node that the environment names', async () => {
  vi.stubGlobal('process', Object.create(process, { versions: { value: { node: '20.19.0' } } }));
  vi.stubEnv('NODE_24_BINARY', '/opt/node-24/bin/node');

  expect(await nodeBinary(24)).toBe('/opt/node-24/bin/node');
});
