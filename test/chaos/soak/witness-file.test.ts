import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWitnessFile, witnessed } from './witness-file.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'single-execution-witness-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('accepts tokens that rise or stay, from whoever writes, and refuses one after a greater one', () => {
  const path = join(folder, 'job');
  const [one, other] = [openWitnessFile(path), openWitnessFile(path)];

  expect(one.write(5, 1, 1)).toBe(true);
  expect(other.write(7, 2, 2)).toBe(true);
  expect(one.write(5, 1, 3)).toBe(false);
  expect(other.write(7, 2, 4)).toBe(true);
  expect(one.write(8, 3, 5)).toBe(true);

  const verdicts = witnessed(readFileSync(path, 'utf8')).map(({ token, delivery, isAccepted }) => [
    token,
    delivery,
    isAccepted,
  ]);
  expect(verdicts).toEqual([
    [5, 1, true],
    [7, 2, true],
    [5, 1, false],
    [7, 2, true],
    [8, 3, true],
  ]);
});
