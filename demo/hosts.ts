import type { SkipReason } from 'single-execution';
import type { ChildProgram, ChildPrograms, Said } from '../test/support/child-program.js';
import { type FaultProxy, startFaultProxy } from '../test/support/fault-proxy.js';
import type { Grant, History, Run, Skip } from '../test/support/history/history.js';
import type { Order } from './host.js';
import type { Engine } from './stores.js';

/** The facts of one lock, as the two hosts report them. */
export type Seen = ReturnType<typeof nothingSeen>;

export const nothingSeen = () => ({ grants: [] as Grant[], runs: [] as Run[], skips: [] as Skip[] });

export function historyOf(seen: Seen): History {
  const unseen = { writes: [], standstills: [], openings: [] };
  return { tickMark: 'success', neverCameIsOpen: false, readingMs: 1, ...unseen, ...seen };
}

export type Ending = 'ran' | 'failed' | 'killed' | `skipped: ${SkipReason}`;

/** The time that the platform leaves a run. Its lease ends two seconds after that. */
const REMAINING_MS = 10_000;
const RUN_MS = 400;

export type Host = Awaited<ReturnType<typeof startHost>>;

/** A host of the demo: a process whose requests to the database go through a proxy of its own. */
export async function startHost(
  host: string,
  { path, programs, engine, name }: { path: string; programs: ChildPrograms; engine: Engine; name: string },
) {
  const network: FaultProxy = await startFaultProxy(engine.endpoint);
  const program: ChildProgram = programs.start(path, { engine: { ...engine, endpoint: network.endpoint }, name });
  let begins: Promise<Said> | undefined;
  let lastId = 0;
  await program.until('ready');
  return {
    stop: () => network.stop(),
    kill: () => program.kill('SIGKILL'),
    /** Resolves when the handler of the last delivery has begun. */
    atWork: () => begins,
    /** Loses the answer to the next write of a run. */
    loseAnswer: () =>
      network.inject(
        { kind: 'reset', at: 'after' },
        { when: ({ body }) => !String(body['text']).startsWith('SELECT') },
      ),
    /** Delivers a tick, and records the facts that follow. */
    async deliver(
      { grants, runs, skips }: Seen,
      tick: number,
      { runMs = RUN_MS, fails = false, remainingMs = REMAINING_MS, isBare = false }: Partial<Order> = {},
    ): Promise<Ending> {
      const id = ++lastId;
      const { said, until, tell, ended } = program;
      const isOfThis = (line: Said) => line['id'] === id;
      begins = until('began', isOfThis);
      begins.catch(() => undefined);
      const askedMs = Date.now();
      tell(JSON.stringify({ id, time: new Date(tick).toISOString(), runMs, fails, remainingMs, isBare }));
      const reply = await until('replied', isOfThis).catch(() => undefined);
      const returnedMs = Date.now();
      const ending = (reply?.['ending'] ?? 'killed') as Ending;

      const fact = { attempt: `${id} on ${host}`, host, tick };
      const [began, end] = ['began', 'ended'].map((word) =>
        said().find((line) => isOfThis(line) && line['said'] === word),
      );
      if (began) {
        const [beganMs, endedMs] = [Number(began['atMs']), Number(end?.['atMs'] ?? returnedMs)];
        const token = Number(began['token'] ?? 0);
        const isRecorded = ending === 'ran';
        const run = { began: [beganMs, beganMs], ended: [endedMs, endedMs], isRecorded } as const;
        grants.push({ ...fact, at: [askedMs, beganMs], token });
        runs.push({ ...fact, token, ...run, end: isRecorded ? 'returned' : reply ? 'threw' : 'died' });
      } else {
        const reason = ending.slice('skipped: '.length) as SkipReason;
        skips.push({ ...fact, at: [askedMs, returnedMs], reason, grantOverMs: Number.POSITIVE_INFINITY });
      }
      if (!reply) await ended;
      return ending;
    },
  };
}
