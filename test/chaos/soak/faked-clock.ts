import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from '../../support/made-once.js';

/** How far a faked wall clock may be from the requested offset. */
const TOLERANCE_MS = 50;
/** Debian's folder for libraries: it has a folder for each processor, with the library in it. */
const DEBIAN = '/usr/lib';
const LIBRARY = 'faketime/libfaketimeMT.so.1';

/**
 * Environment variables that make a process's wall clock wrong by `aheadMs`, behind if negative. Its monotonic clock
 * and its timers stay true.
 *
 * @throws Error if libfaketime is not installed
 */
export function fakedClock(aheadMs: number): Readonly<Record<string, string>> {
  if (aheadMs === 0) return {};
  const sign = aheadMs > 0 ? '+' : '-';
  return {
    LD_PRELOAD: libfaketime(),
    FAKETIME: `${sign}${Math.abs(aheadMs) / 1_000}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** Finds libfaketime. @returns its path. @throws Error if it is not installed */
export function libfaketime(): string {
  const found = [DEBIAN, join(CACHE, 'debian-libfaketime/root/usr/lib')]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name, LIBRARY)))
    .find((path) => existsSync(path));
  if (found) return found;
  throw new Error(
    'libfaketime is not installed, and without it no clock is wrong (Debian: apt-get install libfaketime)',
  );
}

/** @throws Error if a process's wall clock is not off by as much as asked: the play would then show nothing */
export function checkClock(askedMs: number, seenMs: number): void {
  if (Math.abs(seenMs - askedMs) <= TOLERANCE_MS) return;
  throw new Error(
    `a worker's wall clock is ahead by ${Math.round(seenMs)} ms instead of ${askedMs} ms: libfaketime does not work here`,
  );
}

/** Removes what libfaketime leaves in shared memory when its process is killed. */
export function forgetFakedClock(pid: number): void {
  for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`])
    rmSync(join('/dev/shm', name), { force: true });
}
