/**
 * Measures how long a cold, bundled function takes to get its first lock, beside a function that makes its first write
 * with the bare SDK: `npx tsx bench/first-write.ts [rounds] [22|24]`. The second argument is a version of Node. Each
 * figure comes from one fresh process, and counts from the start of that process. The two kinds alternate.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLockTable } from 'single-execution/dynamodb';
import { bundledProgram } from '../test/support/bundled-program.js';
import { startDynamoDBLocal } from '../test/support/dynamodb-local-process.js';
import { nodeBinary } from '../test/support/node-binary.js';
import { quantile } from './side-by-side.js';

const TABLE = 'bench-locks';
const WARM_UP = 3;

interface Cost {
  readonly timeMs: number;
  readonly cpuMs: number;
}

const [rounds = '31', version] = process.argv.slice(2);
const node = version === undefined ? process.execPath : await nodeBinary(version === '22' ? 22 : 24);
const local = await startDynamoDBLocal();
const [bare, ours] = await Promise.all(
  ['bare', 'ours'].map((kind) => bundledProgram(new URL(`./first-write-${kind}.ts`, import.meta.url))),
);
if (!bare || !ours) throw new Error('no programs');
try {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint: local.endpoint, region: 'local', credentials });
  await createLockTable(client, { tableName: TABLE });
  client.destroy();

  const costs: { readonly bare: Cost; readonly ours: Cost }[] = [];
  for (let round = -WARM_UP; round < Number(rounds); round++) {
    const pair = { bare: await costOf(bare.path, `bare ${round}`), ours: await costOf(ours.path, `ours ${round}`) };
    if (round >= 0) costs.push(pair);
  }
  const row = (figure: keyof Cost) => {
    const ratios = costs.map((pair) => pair.ours[figure] / pair.bare[figure]);
    return {
      bare: quantile(
        costs.map((pair) => pair.bare[figure]),
        0.5,
      ).toFixed(1),
      ours: quantile(
        costs.map((pair) => pair.ours[figure]),
        0.5,
      ).toFixed(1),
      ratio: quantile(ratios, 0.5).toFixed(2),
      quartiles: `${quantile(ratios, 0.25).toFixed(2)} to ${quantile(ratios, 0.75).toFixed(2)}`,
    };
  };
  process.stdout.write('the first lock of a cold function, against the first write with the bare SDK\n');
  console.table({ 'time, ms': row('timeMs'), 'CPU, ms': row('cpuMs') });
} finally {
  await Promise.all([bare.remove(), ours.remove(), local.stop()]);
}

async function costOf(program: string, name: string): Promise<Cost> {
  const env = { ...process.env, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  const { stdout } = await promisify(execFile)(node, [program, local.endpoint, TABLE, name], { env });
  return JSON.parse(stdout);
}
