import { lockStoreContract } from 'single-execution/testing';
import { playPostgres, playSqlite } from './play.js';
import { POSTGRES_CLIENTS } from './postgres-clients.js';
import { SQLITE_CLIENTS } from './sqlite-clients.js';

/*
 * Plays the contract over one client, in a runtime in which the tests do not run, and prints the result. The cases of
 * elections need Vitest, and are left out.
 */

/** What to play: a client of one of the lists, and the address of its database. */
export interface Order {
  readonly list: 'postgres' | 'sqlite';
  readonly package: string;
  readonly kind: string;
  readonly address: string;
}

const { list, address, ...wanted }: Order = JSON.parse(process.argv[2] ?? '');
const isWanted = (which: { package: string; kind: string }) =>
  which.package === wanted.package && which.kind === wanted.kind;

process.stdout.write(JSON.stringify(await play()), () => process.exit());

async function play() {
  const postgres = POSTGRES_CLIENTS.find(isWanted);
  if (list === 'postgres' && postgres) return playPostgres(postgres, address, lockStoreContract);
  const sqlite = SQLITE_CLIENTS.find(isWanted);
  if (sqlite) return playSqlite(sqlite, address, lockStoreContract);
  throw new Error(`no client ${JSON.stringify(wanted)}`);
}
