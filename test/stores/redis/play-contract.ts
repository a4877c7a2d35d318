import { lockStoreContract } from 'single-execution/testing';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { memberCases } from '../../support/member-cases.js';
import { redisCases } from '../../support/redis-cases.js';
import type { Connected, RedisServerAt, TestedClient } from './clients.js';

const CASES = [...lockStoreContract, ...redisCases, ...memberCases];

export const titleOf = ({ name, version, how }: TestedClient): string => [name, version, how].filter(Boolean).join(' ');

/** Plays the contract of all stores, and what Redis adds to it, over each client. Prints how many cases passed. */
export function playContract(rows: string, clients: readonly TestedClient[], server: RedisServerAt): void {
  const passed = new Map<TestedClient, number>();
  const titled = clients.map((client) => [titleOf(client), client] as const);

  describe.concurrent.each(titled)(`${rows} %s keeps the contract of all stores`, (_, client) => {
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
  });

  afterAll(() => {
    const lines = clients.map((client) => `| ${titleOf(client)} | ${passed.get(client) ?? 0} of ${CASES.length} |`);
    process.stdout.write(`${['| client of Redis | cases passed |', '|---|---|', ...lines].join('\n')}\n`);
  });
}
