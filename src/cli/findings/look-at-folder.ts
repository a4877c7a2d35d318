import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Finding, ok, warning } from './finding.js';

/** File systems of a network, by the number that Linux has for each. */
const NETWORK: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4266872130: 'SMB',
  4283649346: 'CIFS',
  16914839: '9p',
  1397113167: 'AFS',
  12805120: 'Ceph',
  198183888: 'Lustre',
  18225520: 'GFS2',
  1952539503: 'OCFS2',
};
const REMEDY = 'keep the file on a disk of this machine: the locks of SQLite do not hold on a network file system';

/** @param typeOf the number of the file system of a path */
export function networkWords(path: string, typeOf = typeOfPath): string | undefined {
  const name = networkOf(path, typeOf);
  return name && `--sqlite is on a network file system (${name}): ${REMEDY}`;
}

/** Looks at the file system of a SQLite file. */
export function lookAtFolder(path: string, typeOf = typeOfPath): readonly Finding[] {
  const name = networkOf(path, typeOf);
  return [{ check: 'file system', ...(name ? warning(`${name}, of a network`, REMEDY) : ok('of this machine')) }];
}

function networkOf(path: string, typeOf: (path: string) => number): string | undefined {
  try {
    // A 32-bit system has the largest numbers as negative ones.
    return NETWORK[typeOf(existsSync(path) ? path : dirname(path)) >>> 0];
  } catch {
    return undefined;
  }
}

// Only Linux has these numbers.
const typeOfPath = (path: string): number => (process.platform === 'linux' ? statfsSync(path).type : 0);
