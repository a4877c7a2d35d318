/**
 * Runs all benchmarks, one after the other, and writes docs/benchmarks.md: `npm run bench`. With `--quick` it writes no
 * page, and each benchmark has a few rounds only, to show that it works. No figure makes it fail.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

const isQuick = process.argv.includes('--quick');
const ROUNDS = isQuick ? '3' : '60';

const BENCHES: readonly (readonly string[])[] = [
  ['dynamodb.ts', ROUNDS],
  ['upstash.ts', ROUNDS],
  ['redis.ts', ROUNDS],
  ['sql.ts', ROUNDS],
  ['many.ts', ...(isQuick ? ['64'] : ['1', '64', '1000', '3000'])],
  ['first-write.ts', isQuick ? '3' : '31'],
  ['others.ts', isQuick ? '--quick' : '--page'],
];

console.log(`Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown'}`);
for (const [file = '', ...args] of BENCHES) {
  console.log(`\n${file} ${args.join(' ')}`);
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', path, ...args], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${file} ended with ${code}`);
}
