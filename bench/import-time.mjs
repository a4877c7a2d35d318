/**
 * Measures what importing this library costs above importing the AWS SDK, both bundled, as functions are deployed, and
 * as plain files of node_modules: `npm run build && node bench/import-time.mjs`. Each figure comes from one fresh
 * process, in milliseconds of time and of CPU, shown with quartiles. The kinds alternate, so that noise affects all of
 * them alike.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const RUNS = 41;
const SDK_PACKAGES = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'];
const DOORS = ['single-execution', 'single-execution/dynamodb'];
const SDK = exportOf(SDK_PACKAGES);
const LIBRARY = exportOf(DOORS);
const folder = mkdtempSync(join(import.meta.dirname, 'import-time-'));

try {
  const bundled = {
    'bundled: the SDK': await bundle('sdk', SDK),
    'bundled: the SDK and this library': await bundle('both', SDK + LIBRARY),
  };
  const kinds = {
    ...Object.fromEntries(Object.entries(bundled).map(([kind, file]) => [kind, () => timed('', importOf([file]))])),
    'ES modules: this library, after the SDK': () => timed(importOf(SDK_PACKAGES), importOf(DOORS)),
    'CommonJS: this library, after the SDK': () => timed(requireOf(SDK_PACKAGES), requireOf(DOORS), 'commonjs'),
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

function exportOf(specifiers) {
  return specifiers.map((specifier) => `export * from ${JSON.stringify(specifier)};`).join(' ');
}

function importOf(specifiers) {
  return specifiers.map((specifier) => `await import(${JSON.stringify(specifier)});`).join(' ');
}

function requireOf(specifiers) {
  return specifiers.map((specifier) => `require(${JSON.stringify(specifier)});`).join(' ');
}

/** The time and the CPU of the `measured` statements, in a fresh process that runs the statements `before` first. */
function timed(before, measured, type = 'module') {
  const code = `${before} const t = performance.now(), used = process.cpuUsage(); ${measured}
    const { user, system } = process.cpuUsage(used);
    console.log(JSON.stringify({ time: performance.now() - t, cpu: (user + system) / 1000 }));`;
  return JSON.parse(execFileSync(process.execPath, [`--input-type=${type}`, '-e', code], { encoding: 'utf8' }));
}

function summary(list) {
  return Object.fromEntries(['time', 'cpu'].map((what) => [what, quartiles(list.map((figures) => figures[what]))]));
}

function quartiles(list) {
  const sorted = list.toSorted((a, b) => a - b);
  const [low, median, high] = [0.25, 0.5, 0.75].map((part) => sorted[(RUNS - 1) * part].toFixed(1));
  return `${median} (${low} to ${high})`;
}
