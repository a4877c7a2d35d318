import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { startDynamoDBLocal } from '../test/support/dynamodb-local-process.js';
import type { Settings } from './settings.js';

/** A DynamoDB on this machine. */
export interface Engine {
  readonly name: string;
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Starts the engine asked for; left to choose, the real DynamoDB Local where it can run, else dynalite. */
export async function startEngine(wanted: Settings['engine'], say: (line: string) => void): Promise<Engine> {
  if (wanted === 'dynalite') return startDynalite();
  try {
    return { name: 'DynamoDB Local', ...(await startDynamoDBLocal()) };
  } catch (error) {
    if (wanted === 'dynamodb-local') throw error;
    say(`No DynamoDB Local: ${(error as Error).message.split('\n')[0]}`);
    return startDynalite();
  }
}

async function startDynalite(): Promise<Engine> {
  const keeper = spawn(process.execPath, [fileURLToPath(new URL('./dynalite-keeper.mjs', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(keeper, 'exit');
  const [port] = await Promise.race([
    once(createInterface(keeper.stdout), 'line'),
    exited.then(([code]) => Promise.reject(new Error(`dynalite did not start: it exited with code ${code}`))),
  ]);
  return {
    name: 'dynalite (no Java needed)',
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      keeper.stdin.end();
      await exited;
    },
  };
}
