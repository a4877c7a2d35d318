/**
 * Runs all benchmarks, one after the other, and writes docs/benchmarks.md: `npm run bench`. With `--quick` it runs three
 * of them, which use what the others are made of, with a few rounds each, to show that they work, and writes no page. No
 * figure makes it fail.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

const ROUNDS = '60';

const QUICK: readonly (readonly string[])[] = [
  ['dynamodb.ts', '3'],
  ['sql.ts', '3'],
  ['others.ts', '--quick'],
];
const ALL: readonly (readonly string[])[] = [
  ['dynamodb.ts', ROUNDS],
  ['upstash.ts', ROUNDS],
  ['redis.ts', ROUNDS],
  ['sql.ts', ROUNDS],
  ['many.ts', '1', '64', '1000', '3000'],
  ['first-write.ts', '31'],
  ['others.ts', '--page'],
];

console.log(`Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown'}`);
for (const [file = '', ...args] of process.argv.includes('--quick') ? QUICK : ALL) {
  console.log(`\n${file} ${args.join(' ')}`);
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', path, ...args], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${file} ended with ${code}`);
}
