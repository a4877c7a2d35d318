import { lockStoreContract } from 'single-execution/testing';
import { afterAll, expect, test } from 'vitest';
import { type Played, tableOf } from '../../clients/matrix.js';
import { playPostgres } from '../../clients/play.js';
import { playedElsewhere } from '../../clients/played-elsewhere.js';
import { POSTGRES_CLIENTS } from '../../clients/postgres-clients.js';
import { memberCases } from '../../support/member-cases.js';
import { ownPostgres } from '../../support/own-servers.js';

const LONGEST_MS = 600_000;

const { server } = await ownPostgres();
const lines: Played[] = [];
afterAll(() => void process.stdout.write(`\n${tableOf(lines)}\n`));
const only = process.env['ONLY'];

// One client after the other: several at a time would wait for each other, and a call for its answer.
test.each(POSTGRES_CLIENTS.filter((c) => !only || new RegExp(only).test(`${c.package} ${c.kind}`)))(
  'row 142: the contract of all stores over $package, $kind',
  async (which) => {
    const line = which.runtime
      ? await playedElsewhere(which.runtime, { list: 'postgres', package: which.package, kind: which.kind, address: server.url })
      : await playPostgres(which, server.url, [...lockStoreContract, ...memberCases]);
    lines.push(line);
    expect(line.failed).toEqual([]);
  },
  LONGEST_MS,
);
