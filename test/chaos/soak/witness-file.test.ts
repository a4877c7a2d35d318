import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openWitnessFile, witnessed } from './witness-file.js';

test('accepts tokens that rise or stay, from whoever writes, and refuses one after a greater one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'single-execution-witness-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'job');
  const [one, other] = [openWitnessFile(path), openWitnessFile(path)];

  one({ token: 5, delivery: 1, atMs: 1, hasAsked: false });
  other({ token: 7, delivery: 2, atMs: 2, hasAsked: false });
  one({ token: 5, delivery: 1, atMs: 3, hasAsked: true });
  other({ token: 7, delivery: 2, atMs: 4, hasAsked: true });
  one({ token: 8, delivery: 3, atMs: 5, hasAsked: false });

  expect(witnessed(readFileSync(path, 'utf8'))).toEqual([
    { token: 5, delivery: 1, atMs: 1, hasAsked: false, isAccepted: true },
    { token: 7, delivery: 2, atMs: 2, hasAsked: false, isAccepted: true },
    { token: 5, delivery: 1, atMs: 3, hasAsked: true, isAccepted: false },
    { token: 7, delivery: 2, atMs: 4, hasAsked: true, isAccepted: true },
    { token: 8, delivery: 3, atMs: 5, hasAsked: false, isAccepted: true },
  ]);
});
