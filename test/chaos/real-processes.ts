import { afterAll, beforeAll } from 'vitest';
import { type BackendStage, startBackends, warmUp } from '../support/backends/stage.js';
import type { Kind } from '../support/backends.js';
import { type BundledProgram, bundledProgram } from '../support/bundled-program.js';
import { type ChildPrograms, childPrograms } from '../support/child-program.js';

/** How long a lease is over when a test ends it: longer than any store still refuses others. */
const OVER_MS = 10_000;

/** Real stores, and one program that the tests of a file start as often as they like. */
export function realProcesses(source: URL, kinds: readonly Kind[]) {
  let stage: BackendStage;
  let program: BundledProgram;
  let programs: ChildPrograms;
  beforeAll(async () => {
    programs = childPrograms();
    [stage, program] = await Promise.all([startBackends(...kinds), bundledProgram(source)]);
    for (const kind of kinds) await warmUp(stage.on(kind).store);
  });
  afterAll(async () => {
    await programs.stop();
    await Promise.all([stage.stop(), program.remove()]);
  });
  const on = ((kind) => stage.on(kind)) as BackendStage['on'];
  return {
    on,
    /** Ends the lease of a holder that is dead. So its lease may be longer than the test takes on any machine. */
    async endLease(kind: Kind, name: string): Promise<void> {
      const { engine, address, store, admin } = on(kind);
      const { patch } = engine.harness(address, { store, admin });
      if (!patch) throw new Error(`the harness of ${kind} cannot write into a record`);
      await patch(name, { lockUntil: Date.now() - OVER_MS });
    },
    start: (order: object, nodeOptions?: readonly string[]) => programs.start(program.path, order, nodeOptions),
  };
}
