import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { startsNothing } from './test/runner/starts-nothing.js';
import wholeSuite from './vitest.config.js';

const ROOMS = ['core', 'schedule', 'operate', 'adapters', 'leader', 'stores'];

/** Turns the clocks of real schedulers through years, which takes longer than all other quick tests together. */
const SLOW = 'test/schedule/schedulers.test.ts';

const filesOf = (room: string): readonly string[] =>
  readdirSync(join(import.meta.dirname, 'test', room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('.proof.test.ts'))
    .map((file) => `test/${room}/${file}`);

/** `npm run test:quick`: the tests of these rooms that start no server and no process, for use after each change. */
export default defineConfig({
  ...wholeSuite,
  test: {
    ...wholeSuite.test,
    include: ROOMS.flatMap(filesOf).filter((file) => file !== SLOW && startsNothing(file)),
    globalSetup: [],
  },
});
