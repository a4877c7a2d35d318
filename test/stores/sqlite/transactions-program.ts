import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { executeWithLock } from 'single-execution';
import { createSqliteTable, type SqliteClient, sqliteStore } from 'single-execution/sqlite';
import { call, claim, done, grant } from '../../support/one-run.js';

/* Plays transactions of the program on a shared connection of node:sqlite, and prints what became of the locks. */

const folder = mkdtempSync(join(tmpdir(), 'node-sqlite-'));
const file = join(folder, 'locks.db');
const [shared, other] = [new DatabaseSync(file), new DatabaseSync(file)];
shared.exec('PRAGMA journal_mode = WAL');
for (const one of [shared, other]) one.exec('PRAGMA synchronous = OFF');
await createSqliteTable(shared);

/** A connection as Node before 22.16 has it, which does not tell whether it is inside a transaction. */
const silent = new Proxy(shared, {
  get(client, property) {
    const value: unknown = property === 'isTransaction' ? undefined : Reflect.get(client, property);
    return typeof value === 'function' && property !== 'constructor' ? value.bind(client) : value;
  },
});

const report: Record<string, unknown> = {};
const elsewhere = sqliteStore({ client: other });
const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'done',
    (error: { code: string; message: string }) =>
      error.message.includes('inside a transaction')
        ? `${error.code}, in a transaction`
        : `${error.code}: ${error.message}`,
  );

for (const [kind, client] of Object.entries({ telling: shared, silent })) {
  const store = sqliteStore({ client: client as unknown as SqliteClient });
  const lease = await grant(elsewhere, claim({ name: `held, ${kind}` }));

  shared.exec('BEGIN');
  report[`${kind}: read`] = await codeOf(store.get(lease.name, call(50)));
  report[`${kind}: acquire`] = await codeOf(store.acquire(claim({ name: `new, ${kind}` }), call(50)));
  report[`${kind}: extend`] = await codeOf(store.extend(lease, { leaseMs: 60_000 }, call(50)));
  report[`${kind}: release`] = await codeOf(store.release(lease, done, call(50)));
  shared.exec('COMMIT');
  report[`${kind}: written`] = [
    (await elsewhere.get(`new, ${kind}`, call(1_000)))?.item ?? 'nothing',
    (await elsewhere.get(lease.name, call(1_000)))?.item['state'],
  ];

  // Unrelated work of one process, over an await, while two hosts want to run.
  let inside = 0;
  let most = 0;
  const run = (over: SqliteClient) =>
    executeWithLock(
      async () => {
        most = Math.max(most, ++inside);
        await sleep(50);
        inside--;
      },
      {
        name: `nightly, ${kind}`,
        store: sqliteStore({ client: over }),
        lockAtMostFor: '1m',
        tick: new Date(Date.now() - 60_000),
        observers: [],
      },
    );
  shared.exec('BEGIN');
  const first = run(client as unknown as SqliteClient);
  await sleep(20);
  shared.exec('ROLLBACK');
  const second = run(other as unknown as SqliteClient);
  const statuses = [(await first).status, (await second).status].sort();
  report[`${kind}: two hosts`] = [statuses, most];
}

process.stdout.write(JSON.stringify(report));
for (const one of [shared, other]) one.close();
rmSync(folder, { recursive: true });
