import { afterAll, beforeAll } from 'vitest';
import { type BackendStage, startBackends, warmUp } from '../support/backends/stage.js';
import type { Kind } from '../support/backends.js';
import { type BundledProgram, bundledProgram } from '../support/bundled-program.js';
import { type ChildPrograms, childPrograms } from '../support/child-program.js';

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
  return {
    on: ((kind) => stage.on(kind)) as BackendStage['on'],
    start: (order: object, nodeOptions?: readonly string[]) => programs.start(program.path, order, nodeOptions),
  };
}
