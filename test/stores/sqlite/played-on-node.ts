import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { lockStoreContract } from 'single-execution/testing';
import { denoBinary } from '../../edge/runtimes.js';
import { bundledProgram } from '../../support/bundled-program.js';
import { nodeBinary } from '../../support/node-binary.js';
import type { Played } from '../play-cases.js';

export const WHOLE_CONTRACT: Played = { cases: lockStoreContract.length, failed: [] };

/** Plays the contract over node:sqlite on a version of Node. */
export async function playedOnNode(major: 22 | 24): Promise<Played & { readonly version: string }> {
  return playedBy(await nodeBinary(major), []);
}

export async function playedOnDeno(): Promise<Played & { readonly version: string }> {
  return playedBy(await denoBinary(), ['run', '--quiet', '--no-remote', '--allow-all']);
}

async function playedBy(binary: string, args: readonly string[]): Promise<Played & { readonly version: string }> {
  const program = await bundledProgram(new URL('./node-sqlite-program.ts', import.meta.url));
  const env = { ...process.env, DENO_DIR: join(dirname(program.path), '.deno'), DENO_NO_UPDATE_CHECK: '1' };
  try {
    const { stdout } = await promisify(execFile)(binary, [...args, program.path], { env });
    return JSON.parse(stdout);
  } finally {
    await program.remove();
  }
}
