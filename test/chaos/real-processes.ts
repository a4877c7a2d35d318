import { afterAll, beforeAll } from 'vitest';
import { type BundledProgram, bundledProgram } from '../support/bundled-program.js';
import { type ChildPrograms, childPrograms } from '../support/child-program.js';
import { type RealStores, startRealStores } from '../support/real-stores.js';

/** Real stores, and one program that the tests of a file start as often as they like. */
export function realProcesses(source: URL) {
  let stores: RealStores;
  let program: BundledProgram;
  let programs: ChildPrograms;
  beforeAll(async () => {
    programs = childPrograms();
    [stores, program] = await Promise.all([startRealStores(), bundledProgram(source)]);
  });
  afterAll(async () => {
    await programs.stop();
    await Promise.all([stores.stop(), program.remove()]);
  });
  return {
    stores: () => stores,
    start: (order: object, nodeOptions?: readonly string[]) => programs.start(program.path, order, nodeOptions),
  };
}
