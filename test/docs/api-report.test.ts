import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { apiReport } from './api-report.js';
import { publicDoors } from './public-declarations.js';

const FOLDER = join(import.meta.dirname, 'api');
const doors = publicDoors();
const fileOf = (door: string) => `${door.split('/')[1] ?? 'single-execution'}.txt`;

describe('the public declarations are as the report has them, or `npm run api` writes it anew', () => {
  test.each(doors.map((door) => [door.door, door] as const))('%s', async (name, door) => {
    const [root] = doors;
    if (!root) throw new Error('there are no doors');

    await expect(apiReport(door, root)).toMatchFileSnapshot(join(FOLDER, fileOf(name)));
  });
});

test('there is a report of each door and no other', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(doors.map(({ door }) => fileOf(door)).sort());
});
