import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildProgram, ChildPrograms } from '../../support/child-program.js';
import type { Random } from '../../support/play/random.js';
import { machineMs, wallOffsetMs } from './clock.js';
import { checkClock, fakedClock, forgetFakedClock } from './faked-clock.js';
import {
  BEAT,
  FINISH,
  type Life,
  type Report,
  type Run,
  type TickOrder,
  WORK_EVERY_MS,
  type WorkerOrder,
} from './history.js';
import { CLOCKS, SLOTS } from './plan.js';

/** Worker processes, one for each slot. After a kill, a slot is empty until the next worker is ready. */
export type Fleet = Awaited<ReturnType<typeof startFleet>>;

/** The longest wait for a worker to begin a run before it is stopped. */
const LONGEST_WAIT_MS = 500;
/** Longer than any delivery takes: acquire, run, release, and a stop. */
const LONGEST_END_MS = 30_000;

/** @param path the path of the bundled worker */
export async function startFleet(path: string, order: WorkerOrder, programs: ChildPrograms, random: Random) {
  const now = () => machineMs() - order.originMs;
  const lives: Life[] = [];
  const members = new Map<number, { readonly life: Life; readonly program: ChildProgram }>();
  const ends: Promise<void>[] = [];
  const underWay: Promise<void>[] = [];
  let failure: unknown;

  const start = async (slot: number): Promise<void> => {
    const named = lives.filter(({ name }) => name.startsWith(`w${slot}.`)).length;
    const name = `w${slot}.${named + 1}`;
    const ahead = CLOCKS[SLOTS[slot] ?? 'none'](random.fork(name));
    const program = programs.start(path, order, ['--unhandled-rejections=strict'], fakedClock(ahead));
    const said = () => program.said() as readonly object[] as readonly Report[];
    const life: Life = { name, aheadMs: ahead, stops: [], said };
    lives.push(life);
    ends.push(
      program.ended.then((ended) => {
        forgetFakedClock(program.pid);
        life.ended = ended;
      }),
    );
    const ready = await program.until('ready');
    checkClock(ahead, Number(ready['wallOffsetMs']) - wallOffsetMs());
    members.set(slot, { life, program });
  };
  /** Makes an error of background work end the play. */
  const later = (work: Promise<void>) =>
    underWay.push(
      work.catch((reason: unknown) => {
        failure ??= reason;
      }),
    );

  await Promise.all(SLOTS.map((_, slot) => start(slot)));
  const beats = setInterval(() => {
    for (const { program } of members.values()) program.tell(BEAT);
  }, WORK_EVERY_MS).unref();
  return {
    /** Gives a tick to the worker of a slot. @returns the worker's life; undefined if the slot is empty */
    give(slot: number, tick: TickOrder): Life | undefined {
      if (failure) throw failure;
      const member = members.get(slot);
      member?.program.tell(JSON.stringify(tick));
      return member?.life;
    },
    kill(slot: number): void {
      const member = members.get(slot);
      if (!member) return;
      members.delete(slot);
      member.program.kill('SIGKILL');
      member.life.killedMs = now();
      later(start(slot));
    },
    /** Stops a worker for `forMs`. It first waits a short time for the worker to begin a run. */
    stop(slot: number, forMs: number): void {
      const member = members.get(slot);
      if (!member) return;
      const { program, life } = member;
      const goOn = async () => {
        const plannedMs = now();
        const atWork = program.until('delivery', ({ run }) => Number((run as Partial<Run>)?.beganMs) >= plannedMs);
        await Promise.race([atWork.catch(() => undefined), sleep(LONGEST_WAIT_MS)]);
        const fromMs = now();
        program.kill('SIGSTOP');
        await sleep(forMs);
        program.kill('SIGCONT');
        life.stops = [...life.stops, { fromMs, toMs: now() }];
      };
      later(goOn());
    },
    /** Lets the workers end their runs. @returns the lives of all workers, the killed ones included */
    async finish(): Promise<readonly Life[]> {
      await Promise.all(underWay);
      if (failure) throw failure;
      for (const { program } of members.values()) program.tell(FINISH);
      await Promise.race([Promise.all(ends), sleep(LONGEST_END_MS, undefined, { ref: false })]);
      clearInterval(beats);
      return lives;
    },
  };
}
