import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installed } from './package-sets.js';

/** The oldest supported version, and the major versions that AWS Lambda runs. */
export type NodeVersion = '20.19' | 22 | 24;

/**
 * The path of a Node binary of that version: this process's own if it fits, else `NODE_22_BINARY` or its like from the
 * environment, else a fixed version from npm.
 */
export async function nodeBinary(version: NodeVersion): Promise<string> {
  if (process.versions.node.startsWith(`${version}.`)) return process.execPath;
  const variable = `NODE_${String(version).replace('.', '_')}_BINARY`;
  const given = process.env[variable];
  if (given) return given;

  const remedy = `set ${variable} to the path of a Node ${version}`;
  const folder = await installed(`test/nodes/${version}`).catch((error: Error) => {
    throw new Error(`${error.message}, or ${remedy}`, { cause: error });
  });
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const executable = process.platform === 'win32' ? 'node.exe' : 'node';
  const binary = join(folder, 'node_modules', `node-${platform}-${process.arch}`, 'bin', executable);
  if (!existsSync(binary)) throw new Error(`npm has no Node ${version} for ${platform} ${process.arch}: ${remedy}`);
  return binary;
}
