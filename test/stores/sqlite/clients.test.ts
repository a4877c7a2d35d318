import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockStoreContract } from 'single-execution/testing';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { type Played, tableOf } from '../../clients/matrix.js';
import { playSqlite } from '../../clients/play.js';
import { playedElsewhere } from '../../clients/played-elsewhere.js';
import { SQLITE_CLIENTS } from '../../clients/sqlite-clients.js';
import { memberCases } from '../../support/member-cases.js';

const LONGEST_MS = 600_000;

const lines: Played[] = [];
afterAll(() => void process.stdout.write(`\n${tableOf(lines)}\n`));
const only = process.env['ONLY'];

test.each(SQLITE_CLIENTS.filter((c) => !only || new RegExp(only).test(`${c.package} ${c.kind}`)))(
  'row 143: the contract of all stores over $package, $kind',
  async (which) => {
    const folder = await mkdtemp(join(tmpdir(), 'sqlite-client-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'locks.db');
    const line = which.runtime
      ? await playedElsewhere(which.runtime, { list: 'sqlite', package: which.package, kind: which.kind, address: file })
      : await playSqlite(which, file, [...lockStoreContract, ...memberCases]);
    lines.push(line);
    expect(line.failed).toEqual([]);
  },
  LONGEST_MS,
);
