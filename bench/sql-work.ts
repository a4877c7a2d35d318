/**
 * The work of `sql.ts`, in a process of its own. Its arguments are the address of a Postgres, of a MySQL, of a file of
 * SQLite or of Azurite, and the number of rounds to measure.
 */
import { executeWithLock } from 'single-execution';
import { newAttemptId } from '../src/core/values/names.js';
import { gate } from '../test/support/gate.js';
import { databaseAt, type Guard, sent, titleOf } from './databases.js';
import { worksOf } from './redis-locks.js';
import { compare, type Work } from './side-by-side.js';

const MANY = [64, 1_000];
/**
 * A pause before each call: triggers come seldom, so no call meets a server that is still busy with the call before.
 */
const PAUSE_MS = 2;

const [at = '', rounds] = process.argv.slice(2);
process.stdout.write(`${titleOf(at)}\n`);
const { locks, advisory, close } = await databaseAt(at);
try {
  await compareAll();
  await contendAll();
} finally {
  await close();
}

async function compareAll(): Promise<void> {
  const works = await worksOf(locks);
  const kinds: Record<'run' | 'skip', Record<'ours', Work> & Record<string, Work>> = {
    run: { 'lease row': works.run.bare, ours: works.run.ours },
    skip: { 'lease row': works.skip.bare, ours: works.skip.ours },
  };
  const turns = { rounds: Number(rounds), pauseMs: PAUSE_MS };
  const held = gate();
  if (advisory) {
    const guard = advisory;
    const taken = gate();
    void guard('held', () => {
      taken.open();
      return held.opened;
    });
    await taken.opened;
    kinds.run['advisory lock'] = () => expected(guard, 'free', true);
    kinds.skip['advisory lock'] = () => expected(guard, 'held', false);
  }
  for (const [title, works] of Object.entries(kinds)) {
    const counts: string[] = [];
    for (const [name, work] of Object.entries(works)) counts.push(`${name} ${await statementsOf(work)}`);
    await compare(`a ${title}; statements: ${counts.join(', ')}`, turns, works);
  }
  held.open();
}

async function expected(guard: Guard, name: string, hasRun: boolean): Promise<void> {
  if ((await guard(name, async () => undefined)) !== hasRun) throw new Error(`the run of "${name}" was not ${hasRun}`);
}

async function statementsOf(work: Work): Promise<number> {
  const before = sent();
  await work();
  return sent() - before;
}

/** Makes many calls at once for one lock. The call that gets the lock holds it until all others have an answer. */
async function contendAll(): Promise<void> {
  const { store, take, give } = locks;
  const guards: Record<string, Guard> = {
    'lease row': async (name, task) => {
      const id = newAttemptId();
      if (!(await take(name, id))) return false;
      await task();
      return give(name, id);
    },
    ...(advisory && { 'advisory lock': advisory }),
    ours: async (name, task) => {
      const tick = Date.UTC(2026, 0, 1);
      const { status } = await executeWithLock(task, { name, store, lockAtMostFor: '1m', tick, observers: [] });
      return status === 'executed';
    },
  };
  for (const calls of MANY) {
    const rows: Record<string, object> = {};
    for (const [kind, guard] of Object.entries(guards)) {
      // In the first round the client may still be making its connections.
      await contend(calls, `${kind} ${calls} before`, guard);
      rows[kind] = await contend(calls, `${kind} ${calls}`, guard);
    }
    process.stdout.write(`${calls} calls at once for one lock\n`);
    console.table(rows);
  }
}

async function contend(calls: number, name: string, guard: Guard) {
  const before = sent();
  const startMono = performance.now();
  const othersAnswered = gate();
  let left = calls;
  const leave = () => {
    if (--left === 0) othersAnswered.open();
  };
  let ran = 0;
  const ask = async () => {
    let isRunning = false;
    const task = () => {
      ran++;
      isRunning = true;
      leave();
      return othersAnswered.opened;
    };
    try {
      return await guard(name, task);
    } finally {
      if (!isRunning) leave();
    }
  };
  const results = await Promise.allSettled(Array.from({ length: calls }, ask));
  return {
    ran,
    failed: results.filter(({ status }) => status === 'rejected').length,
    'statements a call': ((sent() - before) / calls).toFixed(2),
    seconds: ((performance.now() - startMono) / 1_000).toFixed(2),
  };
}
