import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { lockStoreContract } from 'single-execution/testing';
import { bundledProgram } from '../../support/bundled-program.js';
import { nodeBinary } from '../../support/node-binary.js';
import type { Played } from './played-contract.js';

export const WHOLE_CONTRACT: Played = { cases: lockStoreContract.length, failed: [] };

/** Plays the contract over node:sqlite on a version of Node. */
export async function playedOnNode(major: 22 | 24): Promise<Played> {
  const program = await bundledProgram(new URL('./node-sqlite-program.ts', import.meta.url));
  try {
    const { stdout } = await promisify(execFile)(await nodeBinary(major), [program.path]);
    return JSON.parse(stdout) as Played;
  } finally {
    await program.remove();
  }
}
