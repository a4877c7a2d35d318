import { lockStoreContract } from 'single-execution/testing';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { inThisRun } from '../../support/in-this-run.js';
import { memberCases } from '../../support/member-cases.js';
import { ownRedis } from '../../support/own-servers.js';
import { redisCases } from '../../support/redis-cases.js';
import { type Connected, FIRST, FURTHER, type TestedClient } from './clients.js';

const { server } = await ownRedis();

const CASES = [...lockStoreContract, ...redisCases, ...memberCases];
const CLIENTS = inThisRun(FIRST, FURTHER);
const passed = new Map<TestedClient, number>();

const titleOf = ({ name, version, how }: TestedClient) => [name, version, how].filter(Boolean).join(' ');

const titled = CLIENTS.map((client) => [titleOf(client), client] as const);
describe.concurrent.each(titled)(
  'row 139 row 92 %s keeps the contract of all stores, and what Redis adds to it',
  (_, client) => {
    let connected: Connected;

    beforeAll(async () => {
      connected = await client.connect(server);
    });
    afterAll(() => connected?.close());

    for (const { name, check } of CASES)
      test(name, async () => {
        await check(connected.harness);
        passed.set(client, (passed.get(client) ?? 0) + 1);
      });
  },
);

afterAll(() => {
  const rows = CLIENTS.map((client) => `| ${titleOf(client)} | ${passed.get(client) ?? 0} of ${CASES.length} |`);
  console.info(['| client of Redis | cases passed |', '|---|---|', ...rows].join('\n'));
});
