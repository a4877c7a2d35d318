import { azureTableStore } from 'single-execution/azure';
import { postgresStore } from 'single-execution/postgres';
import { expect, test } from 'vitest';
import { systemWords } from '../../src/cli/store/reach.js';
import { callOfTries } from '../support/contract-harness.js';
import { claim } from '../support/one-run.js';
import { failureOf } from '../support/settled.js';

const failing = (error: Error) => () => Promise.reject(error);
const AZURE_METHODS = ['getEntity', 'createEntity', 'updateEntity', 'deleteEntity', 'listEntities', 'createTable'];
const STORES = {
  postgres: (error: Error) => postgresStore({ client: failing(error) }),
  azure: (error: Error) => {
    const fail = failing(error);
    const client = Object.fromEntries(AZURE_METHODS.map((method) => [method, fail]));
    return azureTableStore({ client: client as never });
  },
};

/** What the tool says of an error of a client, after a store has made its own error of it. */
async function wordsOver(kind: keyof typeof STORES, code: string, message: string): Promise<string | undefined> {
  const error = Object.assign(new Error(message), { code });
  const { cause } = await failureOf<Error>(STORES[kind](error).acquire(claim(), callOfTries(1)));
  return systemWords(cause);
}

test.each(['postgres', 'azure'] as const)('%s: the system says what is wrong with a connection', async (kind) => {
  const refused = 'connect ECONNREFUSED 127.0.0.1:5432';
  expect(await wordsOver(kind, 'ECONNREFUSED', refused)).toBe(refused);
  // A client's message can contain a secret. The store leaves it out, and only the code is left.
  expect(await wordsOver(kind, 'ECONNRESET', 'lost the connection of user:hunter2')).toBe('ECONNRESET');
  expect(await wordsOver(kind, 'PROTOCOL_LOST', 'lost')).toBeUndefined();
});

test("the system's own words are shown whatever they contain", () => {
  const message = 'a socket was left out';

  expect(systemWords(Object.assign(new Error(message), { code: 'EIO' }))).toBe(message);
});
