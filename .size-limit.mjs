import { readFileSync } from 'node:fs';

const { exports } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));

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

export default [
  bundleOf(
    'withSingleExecution + dynamoDBStore',
    named('withSingleExecution') + named('dynamoDBStore', './dynamodb'),
    '23.6 kB',
  ),
  bundleOf(
    'withSingleExecution + upstashStore',
    named('withSingleExecution') + named('upstashStore', './upstash'),
    '23.7 kB',
  ),
  ...Object.entries({ cloudflare: '22.5 kB', http: '23.9 kB', process: '24 kB' }).map(([door, limit]) =>
    bundleOf(
      `${door} + upstashStore`,
      named('withSingleExecution', `./${door}`) + named('upstashStore', './upstash'),
      limit,
    ),
  ),
  bundleOf(
    'withSingleExecution + memoryStore',
    named('withSingleExecution') + named('memoryStore', './memory'),
    '21.3 kB',
  ),
  ...Object.entries({ postgres: '23.2 kB', sqlite: '23.4 kB' }).map(([door, limit]) =>
    bundleOf(
      `withSingleExecution + ${door}Store`,
      named('withSingleExecution') + named(`${door}Store`, `./${door}`),
      limit,
    ),
  ),
  bundleOf('schedule', named('cron, eventBridge, rate, scheduleFromEnvironment', './schedule'), '5.3 kB'),
];
