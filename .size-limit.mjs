import { readFileSync } from 'node:fs';

const readJson = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const { exports } = readJson('package.json');
const { compilerOptions } = readJson('tsconfig.json');

/** A line that exports a name of a door, from the file that package.json exports it from. */
const named = (name, door = '.') => `export { ${name} } from '${exports[door].import}';`;

/** What a bundle carries for these imports: minified, gzip, without the AWS SDK. */
const bundleOf = (name, contents, limit) => ({
  name,
  path: exports['.'].import,
  gzip: true,
  limit,
  modifyEsbuildConfig: ({ entryPoints: _, ...config }) => ({
    ...config,
    stdin: { contents, resolveDir: import.meta.dirname },
    format: 'esm',
    target: 'es2023',
    external: ['@aws-sdk/*'],
  }),
});

/** The limits of a run with a store, by the door of the store. */
const STORES = {
  dynamodb: '26.5 kB',
  redis: '30.7 kB',
  upstash: '28.5 kB',
  memory: '23.8 kB',
  store: '24.5 kB',
  postgres: '31.6 kB',
  sqlite: '31.6 kB',
  'durable-objects': '24.8 kB',
  azure: '28 kB',
};

/** The limit of a store that has none of its own. */
const ANY_STORE = '32 kB';

/** The function of a door that makes a store for runs. */
const storeOf = async (door) =>
  Object.keys(await import(exports[door].import)).find((name) => /(?<!Admin)Store$/.test(name));

const stores = Object.entries(compilerOptions.paths)
  .filter(([door, [source]]) => source.startsWith('./src/stores/') || door.endsWith('/azure'))
  .map(([door]) => door.split('/')[1]);

export default [
  ...(await Promise.all(
    stores.map(async (store) => {
      const name = await storeOf(`./${store}`);
      const limit = STORES[store] ?? ANY_STORE;
      const contents = named('withSingleExecution') + named(name, `./${store}`);
      return bundleOf(`withSingleExecution + ${name}`, contents, limit);
    }),
  )),
  ...Object.entries({ cloudflare: '27.2 kB', http: '28.8 kB', process: '28.8 kB' }).map(([door, limit]) =>
    bundleOf(
      `${door} + upstashStore`,
      named('withSingleExecution', `./${door}`) + named('upstashStore', './upstash'),
      limit,
    ),
  ),
  bundleOf('schedule', named('cron, eventBridge, rate, scheduleFromEnvironment', './schedule'), '7.3 kB'),
];
