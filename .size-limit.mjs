/** What a bundle carries for these imports: minified, gzip, without the AWS SDK. */
const bundleOf = (name, contents, limit) => ({
  name,
  path: 'dist/index.js',
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

const wrapper = "export { withSingleExecution } from './dist/index.js';";

export default [
  bundleOf(
    'withSingleExecution + dynamoDBStore',
    `${wrapper} export { dynamoDBStore } from './dist/stores/dynamodb/dynamodb.js';`,
    '17.2 kB',
  ),
  bundleOf(
    'withSingleExecution + upstashStore',
    `${wrapper} export { upstashStore } from './dist/stores/redis/upstash.js';`,
    '16.9 kB',
  ),
  ...Object.entries({ cloudflare: '16.2 kB', http: '17.6 kB', process: '17.3 kB' }).map(([door, limit]) =>
    bundleOf(
      `${door} + upstashStore`,
      `export { withSingleExecution } from './dist/adapters/${door}.js'; export { upstashStore } from './dist/stores/redis/upstash.js';`,
      limit,
    ),
  ),
  bundleOf(
    'withSingleExecution + memoryStore',
    `${wrapper} export { memoryStore } from './dist/stores/memory.js';`,
    '12.8 kB',
  ),
];
