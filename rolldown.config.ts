import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type InputOptions, type OutputOptions, type Plugin } from 'rolldown';

/*
 * What is published: a file for each door, and the files that doors share, as ES modules and as CommonJS. `tsc` adds the
 * declarations. Beside them the command-line tool, in files of its own.
 */

/** The source of each door by the name of its files, such as `dynamodb`. The root door is `index`. */
const doors = Object.fromEntries(
  Object.entries(readPaths()).map(([door, [source]]) => [door.split('/')[1] ?? 'index', source]),
);

/**
 * The files that doors share, in the order of their imports. What operators alone need of Redis stands apart: a bundler
 * cannot drop parts of a script that nobody uses.
 */
const SHARED = {
  core: /\/src\/core\/(values|ports|public|observers)\//,
  store: /\/src\/core\/(record|request)\//,
  storage: /\/src\/stores\/(decisions|refusals|storage-\w+)\.ts/,
  sql: /\/src\/stores\/sql\/(foreign-clients|half-of-pool|newest-versions|sql(-\w+)?)\.ts/,
  run: /\/src\/(core\/(options|run|wrap)\/|adapters\/lambda)/,
  schedule: /\/src\/schedule\//,
  redis: /\/src\/stores\/redis\/(?!admin)/,
  'redis-admin': /\/src\/stores\/redis\/admin/,
};

const groups = Object.entries(SHARED);

const PAGE = 'src/cli/console/page';

const output = (format: 'esm' | 'cjs', extension: 'js' | 'cjs'): OutputOptions => ({
  dir: 'dist',
  format,
  entryFileNames: `[name].${extension}`,
  chunkFileNames: `shared/[name].${extension}`,
  codeSplitting: {
    // What one door alone needs stands in its own file.
    minShareCount: 2,
    groups: groups.map(([name, test], index) => ({ name, test, priority: groups.length - index })),
  },
  comments: { legal: false, jsdoc: false, annotation: true },
  // Removes what a user's bundler leaves, in every bundle. Names and lines stay, for whoever reads a stack.
  minify: { compress: { target: 'es2023' }, mangle: false, codegen: false },
  sourcemap: true,
  // The sources are in the package.
  sourcemapExcludeSources: true,
  plugins: [declarations(extension === 'js' ? 'd.ts' : 'd.cts')],
});

/**
 * The declarations of a door: those of its source, which `tsc` writes into `types`. Both kinds of modules share them, so
 * that a type is one and the same wherever it is imported. They are marked as CommonJS, which both may import.
 */
function declarations(extension: 'd.ts' | 'd.cts'): Plugin {
  return {
    name: 'declarations',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'types/package.json', source: '{ "type": "commonjs" }\n' });
      for (const [door, source] of Object.entries(doors)) {
        const exported = source.replace('./', './types/').replace(/ts$/, 'js');
        this.emitFile({ type: 'asset', fileName: `${door}.${extension}`, source: `export * from '${exported}';\n` });
      }
    },
  };
}

const shared = {
  // Packages are the user's own.
  external: /^[^./]/,
  resolve: { extensionAlias: { '.js': ['.ts'] } },
  transform: { target: 'es2023' },
  // As package.json says of the whole package.
  treeshake: { moduleSideEffects: false },
  optimization: { inlineConst: { mode: 'all', pass: 3 } },
  tsconfig: false,
} satisfies InputOptions;

export default defineConfig([
  {
    ...shared,
    input: doors,
    platform: 'neutral',
    preserveEntrySignatures: 'strict',
    output: [output('esm', 'js'), output('cjs', 'cjs')],
  },
  // The command-line tool, by itself: what it needs of the library must not change how the doors are cut.
  {
    ...shared,
    input: { cli: './src/cli/cli.ts' },
    platform: 'node',
    output: [{ dir: 'dist', format: 'esm', chunkFileNames: 'cli/[name].js', comments: { legal: false, jsdoc: false } }],
  },
  // The page of its console: one file, with all that it needs.
  {
    ...shared,
    external: [],
    // Preact is found from here, wherever the rest is built.
    input: { console: fileURLToPath(new URL(`./${PAGE}/main.tsx`, import.meta.url)) },
    platform: 'browser',
    // Its first file shows the page.
    treeshake: { moduleSideEffects: true },
    transform: { target: 'es2023', jsx: { runtime: 'automatic', importSource: 'preact' } },
    output: [{ dir: 'dist', format: 'iife', minify: true, plugins: [onePage()] }],
  },
]);

/** Puts a script and its style into the page, and their hashes into the page's policy: nothing else may run there. */
function onePage(): Plugin {
  const part = (name: string) => readFileSync(new URL(`./${PAGE}/${name}`, import.meta.url), 'utf8');
  const hash = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`;
  return {
    name: 'one-page',
    generateBundle(_, files) {
      const file = Object.values(files).find(({ type }) => type === 'chunk');
      if (file?.type !== 'chunk') throw new Error('the console has no script');
      delete files[file.fileName];
      const [script, style] = [file.code.replaceAll('</script', '<\\/script'), part('page.css')];
      const parts = {
        'the-script-hash': hash(script),
        'the-style-hash': hash(style),
        '/* the style */': style,
        'theScript;': script,
      };
      const source = Object.entries(parts).reduce(
        (page, [name, text]) => page.replace(name, () => text),
        part('page.html'),
      );
      this.emitFile({ type: 'asset', fileName: 'console.html', source });
    },
  };
}

function readPaths(): Readonly<Record<string, [string]>> {
  return JSON.parse(readFileSync(new URL('./tsconfig.json', import.meta.url), 'utf8')).compilerOptions.paths;
}
