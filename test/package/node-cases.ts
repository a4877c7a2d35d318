import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DOORS } from '../support/doors.js';
import { type InstalledPackage, run } from './installed-package.js';
import { plain } from './programs.js';

/** The package in a user's project, and the paths of the programs in it, by the way in which each was made. */
export interface Published {
  readonly installed: InstalledPackage;
  readonly programs: ReadonlyMap<string, string>;
}

/**
 * The tests of the package that must pass on every version of Node.
 *
 * @param node the path of a Node
 * @param ways the programs to run
 * @param published called in each test, after the package has been installed
 */
export function testOnNode(node: () => Promise<string>, ways: readonly string[], published: () => Published): void {
  const execute = async (path: string) => JSON.parse(await run(await node(), [path], join(path, '..')));

  test.each(ways)('row 96: a handler runs once per tick %s', async (way) => {
    const path = published().programs.get(way) ?? '';

    expect(await execute(path)).toMatchObject(['send-digest', { reason: 'already-executed' }]);
  });

  test('row 96: every door exports the same as an ES module and as CommonJS', async () => {
    const names = async (kind: 'mjs' | 'cjs', load: (door: string) => string) => {
      const text = `const doors = [${Object.keys(DOORS).map(load)}];
        process.stdout.write(JSON.stringify(doors.map((door) => Object.keys(door).sort())));`;
      const project = await published().installed.addProject('doors', { [`doors.${kind}`]: text });
      return execute(join(project, `doors.${kind}`));
    };
    const exported = await names('mjs', (door) => `await import('${door}')`);

    expect(exported[0]).toContain('withSingleExecution');
    expect(await names('cjs', (door) => `require('${door}')`)).toEqual(exported);
  });

  test('row 95: an ES module and a CommonJS one in one process know each other’s errors and runs', async () => {
    const both = { nested: { value: { isCurrent: true, inner: 'executed' } }, isError: true, isAnother: false };

    const seen = await execute(await plain(published().installed, 'two-copies.ts', 'mjs'));
    expect(seen).toMatchObject({ areTwo: true, fromEsModule: both, fromCommonJs: both });
  });
}
