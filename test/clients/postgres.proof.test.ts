import { lockStoreContract } from 'single-execution/testing';
import { afterAll, expect, test } from 'vitest';
import { ownEngine } from '../support/backends/stage.js';
import { memberCases } from '../support/member-cases.js';
import { type Played, tableOf } from './matrix.js';
import { playPostgres } from './play.js';
import { playedElsewhere } from './played-elsewhere.js';
import { POSTGRES_CLIENTS } from './postgres-clients.js';

/** A package that is fetched on demand takes minutes once. */
const LONGEST_MS = 600_000;

const { server } = await ownEngine('postgres');
const lines: Played[] = [];
afterAll(() => void process.stdout.write(`\n${tableOf(lines)}\n`));

/**
 * Two clients at a time, one of Neon's and one other: with all at once, a client of one connection would wait too long
 * for its answers. Neon's share their settings.
 */
const turns = { neon: Promise.resolve<unknown>(undefined), other: Promise.resolve<unknown>(undefined) };

function inTurn<T>(name: string, play: () => Promise<T>): Promise<T> {
  const lane = /neon|vercel/.test(name) ? 'neon' : 'other';
  const played = turns[lane].then(play);
  turns[lane] = played.catch(() => undefined);
  return played;
}

test.concurrent.each(POSTGRES_CLIENTS)(
  'row 142: the contract of all stores over $package, $kind',
  async (which) => {
    const { package: name, kind, runtime } = which;
    const line = await inTurn(name, () =>
      runtime
        ? playedElsewhere(runtime, { list: 'postgres', package: name, kind, address: server.url })
        : playPostgres(which, server.url, [...lockStoreContract, ...memberCases]),
    );
    lines.push(line);

    expect(line.failed).toEqual([]);
  },
  LONGEST_MS,
);
