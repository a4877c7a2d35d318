/**
 * What importing this library costs above importing the AWS SDK: `npm run build && node bench/import-time.mjs`.
 * Bundled, as functions are deployed, and as plain files of node_modules. Each figure is one fresh process; the kinds
 * take turns, so that a noisy machine disturbs all alike.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const RUNS = 41;
const SDK = "export * from '@aws-sdk/client-dynamodb'; export * from '@aws-sdk/lib-dynamodb';";
const LIBRARY = "export * from 'single-execution'; export * from 'single-execution/dynamodb';";
const folder = mkdtempSync(join(import.meta.dirname, 'import-time-'));

try {
  const bundled = {
    'bundled: the SDK': await bundle('sdk', SDK),
    'bundled: the SDK and this library': await bundle('both', SDK + LIBRARY),
  };
  const kinds = {
    ...Object.fromEntries(Object.entries(bundled).map(([kind, file]) => [kind, () => timed('', importOf([file]))])),
    'plain files: this library, after the SDK': () =>
      timed(
        importOf(['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb']),
        importOf(['single-execution', 'single-execution/dynamodb']),
      ),
  };
  const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  for (let run = 0; run < RUNS; run++) {
    for (const [kind, measure] of Object.entries(kinds)) times[kind].push(measure());
  }
  console.table(Object.fromEntries(Object.entries(times).map(([kind, list]) => [kind, summary(list)])));
} finally {
  rmSync(folder, { recursive: true });
}

async function bundle(name, contents) {
  const outfile = join(folder, `${name}.mjs`);
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
  const stdin = { contents, resolveDir: import.meta.dirname };
  await build({
    stdin,
    outfile,
    banner,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
  });
  return outfile;
}

function importOf(specifiers) {
  return specifiers.map((specifier) => `await import(${JSON.stringify(specifier)});`).join(' ');
}

/** Milliseconds that the measured statements took in a fresh process, after the first ones. */
function timed(before, measured) {
  const code = `${before} const t = performance.now(); ${measured} console.log(performance.now() - t);`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }));
}

function summary(list) {
  const sorted = list.toSorted((a, b) => a - b);
  const [min, median, max] = [0, (RUNS - 1) / 2, RUNS - 1].map((i) => sorted[i].toFixed(2));
  return { min, median, max };
}
