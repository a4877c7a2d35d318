import { randomUUID } from 'node:crypto';
import type { Deliver } from './host.js';

/** A lock that people write by hand: its owner takes it for a lease, and gives it back. It knows no ticks. */
export interface LockByHand {
  /** @returns whether the lock was taken */
  take(name: string, owner: string): Promise<boolean>;
  give(name: string, owner: string): Promise<unknown>;
}

export const COMPARE_AND_DELETE =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

export function byHand({ take, give }: LockByHand): Deliver {
  return async (name, _tickMs, task) => {
    const owner = randomUUID();
    if (!(await take(name, owner))) return 'skipped';
    try {
      await task();
    } finally {
      await give(name, owner);
    }
    return 'ran';
  };
}

export function refused(error: unknown): false {
  if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false;
  throw error;
}
