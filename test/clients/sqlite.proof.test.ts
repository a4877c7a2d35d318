import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockStoreContract } from 'single-execution/testing';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { playedOnDeno, playedOnNode } from '../stores/sqlite/played-on-node.js';
import { memberCases } from '../support/member-cases.js';
import { type Played, tableOf } from './matrix.js';
import { playSqlite } from './play.js';
import { playedElsewhere } from './played-elsewhere.js';
import { SQLITE_CLIENTS } from './sqlite-clients.js';

/** Packages that are compiled take minutes once. */
const LONGEST_MS = 900_000;

const lines: Played[] = [];
afterAll(() => void process.stdout.write(`\n${tableOf(lines)}\n`));

test.each(SQLITE_CLIENTS)(
  'row 142: the contract of all stores over $package, $kind',
  async (which) => {
    const { package: name, kind, runtime } = which;
    const folder = await mkdtemp(join(tmpdir(), 'sqlite-client-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const address = join(folder, 'locks.db');
    const line = runtime
      ? await playedElsewhere(runtime, { list: 'sqlite', package: name, kind, address })
      : await playSqlite(which, address, [...lockStoreContract, ...memberCases]);
    lines.push(line);

    expect(line.failed).toEqual([]);
  },
  LONGEST_MS,
);

// `npm test` plays it on Node 24.
test.each([
  ['Node 22', () => playedOnNode(22)],
  ['Deno', playedOnDeno],
] as const)(
  'row 132: sqliteStore over node:sqlite of %s keeps the contract of all stores',
  async (runtime, play) => {
    const played = await play();
    lines.push({ client: `node:sqlite, on ${runtime}`, ...played });

    expect(played.failed).toEqual([]);
  },
  LONGEST_MS,
);
