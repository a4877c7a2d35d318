import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installed } from './package-sets.js';

/**
 * The path of a Node binary of that major version: this process's own if it fits, else `NODE_22_BINARY` or
 * `NODE_24_BINARY` from the environment, else a fixed version from npm.
 */
export async function nodeBinary(major: 22 | 24): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const given = process.env[`NODE_${major}_BINARY`];
  if (given) return given;

  const remedy = `set NODE_${major}_BINARY to the path of a Node ${major}`;
  const folder = await installed(`test/nodes/${major}`).catch((error: Error) => {
    throw new Error(`${error.message}, or ${remedy}`, { cause: error });
  });
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const executable = process.platform === 'win32' ? 'node.exe' : 'node';
  const binary = join(folder, 'node_modules', `node-${platform}-${process.arch}`, 'bin', executable);
  if (!existsSync(binary)) throw new Error(`npm has no Node ${major} for ${platform} ${process.arch}: ${remedy}`);
  return binary;
}
