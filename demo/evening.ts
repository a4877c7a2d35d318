import { setTimeout as sleep } from 'node:timers/promises';
import type { LockAdmin } from 'single-execution/admin';
import type { ChildProgram, ChildPrograms, Said } from '../test/support/child-program.js';
import { type FaultProxy, startFaultProxy } from '../test/support/fault-proxy.js';
import type { Engine } from './stores.js';

/** The lock of the evening. */
const NAME = 'send-digest';
const FIRST_TICK_MS = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000;
/** What the platform leaves a run; its lease ends two seconds later. */
const REMAINING_MS = 10_000;
const SHORT_MS = 1_000;
const WORK_MS = 300;

/** One delivery of a tick to a host, as the outside saw it. */
export interface Delivery {
  readonly host: 0 | 1;
  readonly tickMs: number;
  readonly ending: 'ran' | 'failed' | 'killed' | `skipped: ${string}`;
}

/** What a handler did, by its own account and by the clock that all processes share. */
export interface Work {
  readonly tickMs: number;
  readonly token: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly isDone: boolean;
}

/** A situation of the evening, what it led to, and what it should lead to: an ending for each of its deliveries. */
export interface Scene {
  readonly title: string;
  readonly deliveries: readonly Delivery[];
  readonly wanted: readonly RegExp[];
}

interface Play {
  readonly hosts: readonly [Host, Host];
  readonly admin: LockAdmin;
  /** The next tick of the schedule. */
  tick(): number;
}
type Situation = readonly [title: string, wanted: readonly RegExp[], play: (play: Play) => Promise<Delivery[]>];

const [RAN, FAILED, KILLED, DONE_BEFORE] = [/^ran$/, /^failed$/, /^killed$/, /^skipped: already-executed$/];
const [LOCKED, PAUSED, STALE] = [/^skipped: locked$/, /^skipped: paused$/, /^skipped: stale-tick$/];

export const SITUATIONS: readonly Situation[] = [
  [
    'a trigger delivers a tick to both hosts at once',
    [RAN, /^skipped: (locked|already-executed)$/],
    async ({ hosts: [one, other], tick }) => {
      const tickMs = tick();
      const both = await Promise.all([one.deliver(tickMs), other.deliver(tickMs)]);
      return both.sort((a, b) => a.ending.localeCompare(b.ending));
    },
  ],
  [
    'a tick comes again when its run is over',
    [RAN, DONE_BEFORE],
    async ({ hosts: [one, other], tick }) => {
      const tickMs = tick();
      return [await one.deliver(tickMs), await other.deliver(tickMs)];
    },
  ],
  [
    'the next tick comes while a run is at work',
    [RAN, LOCKED],
    async ({ hosts: [one, other], tick }) => {
      const running = one.deliver(tick(), { ms: 1_500 });
      await one.atWork();
      const skipped = await other.deliver(tick());
      return [await running, skipped];
    },
  ],
  [
    'a run fails, and the platform tries again',
    [FAILED, RAN],
    async ({ hosts: [one, other], tick }) => {
      const tickMs = tick();
      return [await one.deliver(tickMs, { fails: true }), await other.deliver(tickMs)];
    },
  ],
  [
    'the answer to the acquire is lost',
    [RAN, DONE_BEFORE],
    async ({ hosts: [one, other], tick }) => {
      const tickMs = tick();
      one.loseAnswer();
      return [await one.deliver(tickMs), await other.deliver(tickMs)];
    },
  ],
  [
    'a tick that was held up comes after the next one',
    [RAN, STALE],
    async ({ hosts: [one, other], tick }) => {
      const older = tick();
      return [await one.deliver(tick()), await other.deliver(older)];
    },
  ],
  [
    'an operator pauses the job',
    [PAUSED, RAN],
    async ({ hosts: [one], admin, tick }) => {
      await admin.pause(NAME, { by: 'operator of the demo' });
      const skipped = await one.deliver(tick());
      await admin.resume(NAME);
      return [skipped, await one.deliver(tick())];
    },
  ],
  [
    'a host dies at work; its tick runs again after the lease',
    [KILLED, LOCKED, RAN],
    async ({ hosts: [one, other], admin, tick }) => {
      const tickMs = tick();
      const running = one.deliver(tickMs, { ms: 30_000, remainingMs: SHORT_MS });
      await one.atWork();
      one.kill();
      const dead = await running;
      const retried = await other.deliver(tickMs);
      const { lockUntil } = (await admin.get(NAME)) ?? {};
      // The server's Date header names the second that has begun.
      await sleep(Math.max(0, Number(lockUntil) + 1_050 - Date.now()));
      return [dead, retried, await other.deliver(tickMs)];
    },
  ],
];

export type Host = Awaited<ReturnType<typeof startHost>>;

/** Plays a situation. `shown` is called as soon as it is over. */
export async function playEvening(
  hosts: readonly [Host, Host],
  admin: LockAdmin,
  shown: (scene: Scene) => void,
): Promise<Scene[]> {
  const scenes: Scene[] = [];
  let ticks = 0;
  const tick = () => FIRST_TICK_MS + ticks++ * 60_000;
  for (const [title, wanted, play] of SITUATIONS) {
    const scene = { title, wanted, deliveries: await play({ hosts, admin, tick }) };
    scenes.push(scene);
    shown(scene);
  }
  return scenes;
}

/** A place for one process at a time, whose requests to the database go through a network of its own. */
export async function startHost(
  number: 0 | 1,
  { path, programs, engine }: { path: string; programs: ChildPrograms; engine: Engine },
  works: Work[],
) {
  const network: FaultProxy = await startFaultProxy(engine.endpoint);
  const start = () => programs.start(path, { engine: { ...engine, endpoint: network.endpoint }, name: NAME });
  let program: ChildProgram = start();
  let begins: Promise<Said> | undefined;
  let lastId = 0;
  await program.until('ready');
  return {
    stop: () => network.stop(),
    kill: () => program.kill('SIGKILL'),
    /** Resolves when the handler of the delivery under way has begun. */
    atWork: () => begins,
    loseAnswer: () =>
      network.inject(
        { kind: 'reset', at: 'after' },
        // The first write of a run.
        { when: ({ body }) => !String(body['text']).startsWith('SELECT') },
      ),
    async deliver(tickMs: number, { ms = WORK_MS, fails = false, remainingMs = REMAINING_MS } = {}): Promise<Delivery> {
      const id = ++lastId;
      const { said, until, tell, ended } = program;
      const before = said().length;
      const isNew = (line: Said) => said().indexOf(line) >= before;
      begins = until('began', isNew);
      begins.catch(() => undefined);
      tell(JSON.stringify({ id, time: new Date(tickMs).toISOString(), ms, fails, remainingMs }));
      const reply = await until('replied', (line) => line['id'] === id).catch(() => undefined);
      const endedMs = Date.now();
      const lines = said().slice(before);
      const [began, done] = ['began', 'done'].map((word) => lines.find((line) => line['said'] === word));
      if (began) {
        const [fromMs, token] = [Number(began['atMs']), Number(began['token'])];
        works.push({ tickMs, token, fromMs, toMs: Number(done?.['atMs'] ?? endedMs), isDone: done !== undefined });
      }
      if (!reply) {
        await ended;
        program = start();
        await program.until('ready');
      }
      return { host: number, tickMs, ending: (reply?.['ending'] ?? 'killed') as Delivery['ending'] };
    },
  };
}
