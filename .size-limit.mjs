import { readFileSync } from 'node:fs';

const { exports } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));

/** A line that exports a name of a door, from the file that package.json exports it from. */
const named = (name, door = '.') => `export { ${name} } from '${exports[door].default}';`;

/** What a bundle carries for these imports: minified, gzip, without the AWS SDK. */
const bundleOf = (name, contents, limit) => ({
  name,
  path: exports['.'].default,
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
    '18.9 kB',
  ),
  bundleOf(
    'withSingleExecution + upstashStore',
    named('withSingleExecution') + named('upstashStore', './upstash'),
    '18.9 kB',
  ),
  ...Object.entries({ cloudflare: '18.3 kB', http: '19.7 kB', process: '19.4 kB' }).map(([door, limit]) =>
    bundleOf(
      `${door} + upstashStore`,
      named('withSingleExecution', `./${door}`) + named('upstashStore', './upstash'),
      limit,
    ),
  ),
  bundleOf(
    'withSingleExecution + memoryStore',
    named('withSingleExecution') + named('memoryStore', './memory'),
    '14.3 kB',
  ),
  bundleOf('schedule', named('cron, eventBridge, rate, scheduleFromEnvironment', './schedule'), '5.3 kB'),
];
