/** What a bundle carries when it imports everything of these doors: minified, gzip, without the AWS SDK. */
const everythingOf = (name, doors, limit) => ({
  name,
  path: doors,
  gzip: true,
  limit,
  modifyEsbuildConfig: ({ entryPoints: _, ...config }) => ({
    ...config,
    stdin: { contents: doors.map((door) => `export * from './${door}';`).join('\n'), resolveDir: import.meta.dirname },
    format: 'esm',
    target: 'es2023',
    external: ['@aws-sdk/*'],
  }),
});

export default [
  everythingOf('root + dynamodb', ['dist/index.js', 'dist/stores/dynamodb.js'], '6 kB'),
  everythingOf('root + memory', ['dist/index.js', 'dist/stores/memory.js'], '6 kB'),
];
