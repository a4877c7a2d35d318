import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bunBinary } from '../edge/runtimes.js';
import { nodeBinary } from '../support/node-binary.js';
import type { Played } from './matrix.js';
import type { Order } from './program.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = fileURLToPath(new URL('./program.ts', import.meta.url));

export async function playedElsewhere(runtime: 'Node 24' | 'Bun', order: Order): Promise<Played> {
  const [binary, args]: [string, string[]] =
    runtime === 'Bun' ? [await bunBinary(), []] : [await nodeBinary(24), ['--import', 'tsx']];
  const run = promisify(execFile)(binary, [...args, PROGRAM, JSON.stringify(order)], { cwd: ROOT });
  const { stdout } = await run;
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1)) as Played;
}
