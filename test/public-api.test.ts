import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { BARE_DOORS, DOORS } from './support/doors.js';

const ROOT = new URL('../', import.meta.url);
const readJson = (path: string) => JSON.parse(readFileSync(new URL(path, ROOT), 'utf8'));

test('package.json exports an ES module and a CommonJS one of each door', () => {
  const files = Object.keys(DOORS).map((door) => {
    const name = door.split('/')[1];
    const file = `./dist/${name ?? 'index'}`;
    return [name ? `./${name}` : '.', { import: `${file}.js`, require: `${file}.cjs` }];
  });

  expect(readJson('package.json').exports).toEqual({
    ...Object.fromEntries(files),
    './package.json': './package.json',
  });
});

/** The functions, classes and constants that a door exports, from its report, which `npm run api` writes. */
function reported(door: string): string[] {
  const file = `test/docs/api/${door.split('/')[1] ?? 'single-execution'}.txt`;
  const [exported = ''] = readFileSync(new URL(file, ROOT), 'utf8').split('\n## Types that these name\n');
  const names = [...exported.matchAll(/(?<!is exported\.\n)^(?:function|class|const) (\w+)/gm)].map(
    ([, name = '']) => name,
  );
  return [...new Set(names)].sort();
}

test.each(Object.entries(DOORS))('%s exports exactly what its report has', async (door, source) => {
  const exported = await import(fileURLToPath(new URL(source, ROOT)));

  expect(reported(door)).not.toEqual([]);
  expect(Object.keys(exported).sort()).toEqual(reported(door));
});

test.each(BARE_DOORS)(
  'row 65: %s loads without the AWS SDK, without Node modules and without any package',
  async (door) => {
    const { metafile } = await build({
      entryPoints: [fileURLToPath(new URL(DOORS[door] ?? '', ROOT))],
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'neutral',
      packages: 'external',
      logLevel: 'silent',
    });

    const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports);
    expect(imported.filter(({ external }) => external).map(({ path }) => path)).toEqual([]);
  },
);
