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

  one(5, 1, 1);
  other(7, 2, 2);
  one(5, 1, 3);
  other(7, 2, 4);
  one(8, 3, 5);

  expect(witnessed(readFileSync(path, 'utf8'))).toEqual([
    { token: 5, delivery: 1, askedMs: 1, isAccepted: true },
    { token: 7, delivery: 2, askedMs: 2, isAccepted: true },
    { token: 5, delivery: 1, askedMs: 3, isAccepted: false },
    { token: 7, delivery: 2, askedMs: 4, isAccepted: true },
    { token: 8, delivery: 3, askedMs: 5, isAccepted: true },
  ]);
});
