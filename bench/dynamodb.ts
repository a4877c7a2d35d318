/**
 * Measures what a run and a skip cost above the same UpdateItem calls of the bare client: `npx tsx bench/dynamodb.ts
 * [rounds] [22|24]`. The second argument is a version of Node. The work is bundled, as users' programs are, and done in
 * a process of its own, where the two kinds alternate: see side-by-side.ts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLockTable } from 'single-execution/dynamodb';
import { bundledProgram } from '../test/support/bundled-program.js';
import { startDynamoDBLocal } from '../test/support/dynamodb-local-process.js';
import { nodeBinary } from '../test/support/node-binary.js';

const TABLE = 'bench-locks';

const [rounds = '60', version] = process.argv.slice(2);
const node = version === undefined ? process.execPath : await nodeBinary(version === '22' ? 22 : 24);
const local = await startDynamoDBLocal();
const program = await bundledProgram(new URL('./dynamodb-work.ts', import.meta.url));
try {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint: local.endpoint, region: 'local', credentials });
  await createLockTable(client, { tableName: TABLE });
  client.destroy();
  const flags = process.env['NODE_FLAGS']?.split(' ') ?? [];
  const work = spawn(node, [...flags, program.path, local.endpoint, TABLE, rounds], { stdio: 'inherit' });
  await once(work, 'exit');
} finally {
  await program.remove();
  await local.stop();
}
