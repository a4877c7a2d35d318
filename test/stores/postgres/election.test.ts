import { createLeaderElection, type LeaderElection } from 'single-execution/leader';
import { postgresStore } from 'single-execution/postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';

const { pool } = await ownEngine('postgres');

interface Candidate {
  readonly name: string;
  readonly election: LeaderElection;
  /** From now on, Postgres does not answer this candidate. */
  cutOff(): void;
}

test('row 41: one candidate leads over Postgres; when it is cut off another follows, and the two never lead at once', async () => {
  const terms: number[] = [];
  let leading = 0;
  let most = 0;
  const stand = (name: string): Candidate => {
    let isCutOff = false;
    const store = postgresStore({
      client: async (text, values) =>
        isCutOff ? new Promise<never>(() => undefined) : (await pool.query(text, values)).rows,
    });
    const election = createLeaderElection({
      name: 'scheduler',
      store,
      candidate: name,
      lease: '2s',
      retryEvery: '100ms',
      observers: [],
      onStarted({ term, signal }) {
        terms.push(term);
        most = Math.max(most, ++leading);
        signal.addEventListener('abort', () => leading--, { once: true });
      },
    });
    onTestFinished(() => {
      isCutOff = false;
      return election.stop();
    });
    election.start();
    const cutOff = () => {
      isCutOff = true;
    };
    return { name, election, cutOff };
  };
  const all = ['a', 'b', 'c'].map(stand);
  const leader = () =>
    vi.waitFor(
      () => {
        const [one, ...others] = all.filter(({ election }) => election.isLeader());
        if (!one || others.length > 0) throw new Error(`${others.length} others lead`);
        return one;
      },
      { timeout: 20_000, interval: 20 },
    );

  const first = await leader();
  first.cutOff();
  await vi.waitFor(() => expect(first.election.isLeader()).toBe(false), { timeout: 20_000, interval: 20 });
  const second = await leader();

  expect(second.name).not.toBe(first.name);
  expect(most).toBe(1);
  expect(terms).toHaveLength(2);
  expect(terms).toEqual([terms[0], second.election.term]);
  expect(Number(terms[1])).toBeGreaterThan(Number(terms[0]));
  const alive = (await second.election.members()).filter((member) => member.alive);
  expect(alive.map(({ name }) => name).sort()).toEqual(all.flatMap(({ name }) => (name === first.name ? [] : [name])));
}, 60_000);
