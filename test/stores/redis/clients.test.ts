import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FIRST, FURTHER, OF_A_CLUSTER, OF_SENTINELS, type TestedClient } from './clients.js';

/* docs/stores/redis.md, docs/stores/upstash.md and package.json name the clients that are tested, and no others. */

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const { peerDependencies } = JSON.parse(read('package.json'));
const { dependencies: runtimes } = JSON.parse(read('test/edge/package.json'));

const ALL = [...FIRST, ...FURTHER, ...OF_A_CLUSTER, ...OF_SENTINELS];
const byVersion = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true });

/** The versions in which a package is tested, in order. */
function versionsOf(clients: readonly TestedClient[], packageName: string): string {
  const versions = new Set(clients.filter(({ name }) => name === packageName).map(({ version }) => version));
  return [...versions].toSorted(byVersion).join(', ');
}

/** The rows of the page's table of clients: package and versions. */
const ROWS = read('docs/stores/redis.md')
  .split('\n')
  .flatMap((line) => {
    const [, name, versions] = /^\| `([^`]+)` \| ([\d., ]+) \|/.exec(line) ?? [];
    return name === undefined || versions === undefined ? [] : [[name, versions.trim()] as const];
  });

test('row 139 the page lists each package with the versions that are tested', () => {
  const names = new Set(ALL.map(({ name }) => name).filter((name) => name !== '@upstash/redis'));
  expect(Object.fromEntries(ROWS)).toEqual(Object.fromEntries([...names].map((name) => [name, versionsOf(ALL, name)])));
  expect(read('docs/stores/redis.md')).toContain(`| Bun | ${runtimes.bun} |`);
  expect(read('docs/stores/upstash.md')).toContain(
    `@upstash/redis ${versionsOf(ALL, '@upstash/redis').replace(', ', ' and ')}`,
  );
});

test('row 139 docs/reliability.md counts these clients', () => {
  const [ofUpstash, ofRedis] = [true, false].map(
    (isIt) => [...FIRST, ...FURTHER].filter(({ name }) => (name === '@upstash/redis') === isIt).length,
  );
  expect(read('docs/reliability.md')).toContain(
    `${ofRedis} clients of Redis and ${ofUpstash} of Upstash on one server, ${OF_A_CLUSTER.length} on a real cluster of three, and ${OF_SENTINELS.length} behind a real sentinel`,
  );
});

test.each(['ioredis', 'redis', '@upstash/redis'])(
  'row 139 the oldest version of %s that a peer may have is tested',
  (name) => {
    const [, oldest = ''] = /^(?:>=|\^)([\d.]+)$/.exec(peerDependencies[name]) ?? [];
    const padded = [...oldest.split('.'), '0', '0'].slice(0, 3).join('.');
    expect(versionsOf(ALL, name).split(', ')[0]).toBe(padded);
  },
);
