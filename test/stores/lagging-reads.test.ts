import { executeWithLock } from 'single-execution';
import { postgresStore } from 'single-execution/postgres';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ownEngine } from '../support/backends/stage.js';
import { call, claim, done, grant } from '../support/one-run.js';

/*
 * Reads that come from a replica that lags. Here the replica is what Postgres has told before: a real one replicates
 * when it likes, so a test could not say which state it shows.
 */

const { pool } = await ownEngine('postgres');
const query = async (text: string, values: (string | number)[]) => (await pool.query(text, values)).rows;

type Row = Readonly<Record<string, unknown>>;

/** A store whose reads of a lock are answered by the states before the last `lag` writes. */
function lagging() {
  const states = new Map<string, Row[]>();
  const lag = { writes: 0, reads: 0 };
  const read = async (name: string) => {
    const [row] = await pool
      .query('SELECT name, record, version FROM single_execution_locks WHERE name = $1', [name])
      .then(({ rows }) => rows);
    return row ?? { name: null, record: '', version: null };
  };
  const store = postgresStore({
    client: async (text, values) => {
      const name = values.find((value) => String(value).startsWith('lagging')) as string;
      if (!text.startsWith('SELECT')) {
        const before = await read(name);
        states.set(name, [...(states.get(name) ?? []), before]);
        return query(text, values);
      }
      const [now] = await query(text, values);
      lag.reads++;
      const old = lag.writes > 0 ? states.get(name)?.at(-lag.writes) : undefined;
      return [{ ...(now as Row), ...old }];
    },
  });
  return { store, lag };
}

let names = 0;
const newName = () => `lagging ${names++}`;

describe('F154 a read that is older than what this process has seen or written', () => {
  test('is read again, so one tick runs once', async () => {
    const { store, lag } = lagging();
    const name = newName();
    const tick = new Date(Date.now() - 60_000);
    let ran = 0;
    for (let calls = 0; calls < 4; calls++) {
      lag.writes = calls % 2;
      const caughtUp = setTimeout(() => Object.assign(lag, { writes: 0 }), 100);
      await executeWithLock(() => ++ran, { name, store, tick, lockAtMostFor: '1m', observers: [] });
      clearTimeout(caughtUp);
    }

    expect(ran).toBe(1);
  });

  test('of a release is read again, so the record of finished work is kept', async () => {
    const { store, lag } = lagging();
    const lease = await grant(store, claim({ name: newName(), tickMs: 1_800_000_000_000 }));
    lag.writes = 1;
    const released = store.release(lease, done, call());
    setTimeout(() => Object.assign(lag, { writes: 0 }), 100);

    expect(await released).toBe('released');
  });

  test('is believed after two seconds, with a warning: somebody has restored or deleted the row', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    onTestFinished(() => warned.mockRestore());
    const store = postgresStore({ client: query });
    const name = newName();
    await store.release(await grant(store, claim({ name })), done, call());
    await pool.query('DELETE FROM single_execution_locks WHERE name = $1', [name]);

    expect(await store.acquire(claim({ name }), call())).toMatchObject({ status: 'acquired' });
    expect(warned).toHaveBeenCalledTimes(1);
    expect(String(warned.mock.calls[0])).toContain(`lock \\"${name}\\": its row is older`);
  });
});
