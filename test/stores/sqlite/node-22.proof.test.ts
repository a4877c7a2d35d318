import { expect, test } from 'vitest';
import { playedOnNode, WHOLE_CONTRACT } from './played-on-node.js';

test('row 132: sqliteStore over node:sqlite of Node 22 keeps the contract of all stores', async () => {
  expect(await playedOnNode(22)).toEqual(WHOLE_CONTRACT);
}, 300_000);
