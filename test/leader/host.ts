import type { Clock, LockStore, MemberStore } from 'single-execution';
import type { ManualClock } from 'single-execution/testing';
import type { Timer } from '../../src/core/values/clock.js';

/** A process with clocks and timers of its own. They follow the clock that the test turns. */
export interface Host {
  readonly clock: Clock;
  /** The store as this process reaches it. Once the process is dead, no call is sent and no answer arrives. */
  reach(store: LockStore & MemberStore): LockStore & MemberStore;
  /** Kills the process as SIGKILL does: no timer fires, no answer arrives. */
  kill(): void;
  /** Suspends the machine: its monotonic clock and its timers stand still, its wall clock goes on. */
  suspend(): void;
  resume(): void;
  /** Steps the wall clock of this process alone. */
  stepWall(ms: number): void;
  isRunning(): boolean;
}

interface Waiting {
  readonly dueMono: number;
  readonly callback: () => void;
  timer?: Timer;
}

export function hostOn(world: ManualClock): Host {
  const timers = new Set<Waiting>();
  const sleepers: (() => void)[] = [];
  let state: 'running' | 'suspended' | 'dead' = 'running';
  let wallMs = 0;
  let sleptMs = 0;
  let asleepMono = 0;

  const monotonic = () => (state === 'suspended' ? asleepMono : world.monotonic()) - sleptMs;
  const arm = (waiting: Waiting) => {
    if (state !== 'running') return;
    const fire = () => {
      timers.delete(waiting);
      waiting.callback();
    };
    waiting.timer = world.setTimer(fire, waiting.dueMono - monotonic());
  };
  const disarm = () => {
    for (const { timer } of timers) timer?.cancel();
  };
  /** Resolves while the process runs. It never resolves for a dead process. */
  const untilAwake = async () => {
    while (state !== 'running') await new Promise<void>((wake) => sleepers.push(wake));
  };
  const ask = async <T>(send: () => Promise<T>): Promise<T> => {
    await untilAwake();
    try {
      return await send();
    } finally {
      await untilAwake();
    }
  };

  return {
    clock: {
      now: () => world.now() + wallMs,
      monotonic,
      setTimer(callback, ms) {
        const waiting: Waiting = { dueMono: monotonic() + Math.max(0, ms), callback };
        timers.add(waiting);
        arm(waiting);
        return {
          cancel() {
            waiting.timer?.cancel();
            timers.delete(waiting);
          },
        };
      },
    },
    reach: (store) => ({
      acquire: (claim, call) => ask(() => store.acquire(claim, call)),
      extend: (lease, to, call) => ask(() => store.extend(lease, to, call)),
      mark: (lease, done, call) => ask(() => store.mark(lease, done, call)),
      release: (lease, completion, call) => ask(() => store.release(lease, completion, call)),
      checkIn: (checkIn, call) => ask(() => store.checkIn(checkIn, call)),
    }),
    kill() {
      state = 'dead';
      disarm();
    },
    suspend() {
      if (state !== 'running') return;
      asleepMono = world.monotonic();
      state = 'suspended';
      disarm();
    },
    resume() {
      if (state !== 'suspended') return;
      sleptMs += world.monotonic() - asleepMono;
      state = 'running';
      for (const waiting of timers) arm(waiting);
      for (const wake of sleepers.splice(0)) wake();
    },
    stepWall(ms) {
      wallMs += ms;
    },
    isRunning: () => state === 'running',
  };
}
