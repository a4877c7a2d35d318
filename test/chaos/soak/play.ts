import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildPrograms } from '../../support/child-program.js';
import type { Random } from '../../support/play/random.js';
import type { StoreAddress } from '../../support/store-address.js';
import { type GivenDelivery, historyOf } from './assemble.js';
import { startFleet } from './fleet.js';
import type { SoakHistory } from './history.js';
import type { SoakJob } from './jobs.js';
import { machineMs } from './machine-clock.js';
import type { PlannedStep } from './plan.js';
import { witnessed } from './witness-file.js';

export interface Stage {
  readonly programs: ChildPrograms;
  /** The bundled worker. */
  readonly path: string;
  readonly address: StoreAddress;
  readonly jobs: readonly SoakJob[];
  readonly random: Random;
  /** For the witness files. */
  readonly folder: string;
}

/** Plays a plan on a fleet of its own, waits until all has ended, and tells what has happened. */
export async function play(steps: readonly PlannedStep[], stage: Stage): Promise<SoakHistory> {
  const { address, jobs, folder } = stage;
  const fleet = await startFleet(stage);
  const startMs = machineMs();
  // In the past, so that no tick is in the future of a host whose clock is behind.
  const firstTickMs = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000;
  const given: GivenDelivery[] = [];
  for (const step of steps) {
    const leftMs = startMs + step.atMs - machineMs();
    if (leftMs > 0) await sleep(leftMs);
    if (step.kind === 'kill') fleet.kill(step.slot);
    else if (step.kind === 'stop') fleet.stop(step.slot, step.forMs);
    else {
      const { job, worksMs, fails } = step;
      const order = { id: given.length + 1, job, tickMs: firstTickMs + step.tickMs, worksMs, fails };
      const worker = fleet.give(step.slot, order);
      if (worker) given.push({ order, worker });
    }
  }
  const lives = await fleet.finish();
  const texts = await Promise.all(jobs.map(({ name }) => readFile(join(folder, name), 'utf8').catch(() => '')));
  const writes = new Map(jobs.map(({ name }, i) => [name, witnessed(texts[i] ?? '')]));
  return historyOf({ store: address.kind, jobs, lives, given, writes, startMs });
}
