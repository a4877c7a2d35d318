import { createHash } from 'node:crypto';
import { type Random, random } from '../support/play/random.js';
import { playElection } from './election.js';
import { playJobs, rulesOf } from './jobs.js';
import type { Findings } from './ledger.js';
import { type Kind, REGIMES, STAGES } from './regime.js';
import { type Watched, world } from './world.js';

const STORES = ['dynamodb', 'redis'] as const;

/** Plays one world. The same arguments always give the same world. */
export async function play({ stage, regime }: Kind, seed: number, watched?: Watched): Promise<Findings> {
  const chance = random(`${stage} ${regime} ${seed}`);
  leaveNothingToChance(chance.fork('library'), chance.fork('ids'));
  const store = stage === 'election' ? chance.pick(STAGES.redis.includes(regime) ? STORES : STORES.slice(0, 1)) : stage;
  const rules = rulesOf(chance);
  const played = world(REGIMES[regime], store, rules, chance, watched);
  await (stage === 'election' ? playElection(played) : playJobs(played, rules));
  for (const on of played.hosts) {
    if (on.pendingTimers() > 0) {
      played.book.violation('I10', `${on.pendingTimers()} timers were left on ${on.name}`);
    }
  }
  return played.book.close(played.server.item());
}

/**
 * Makes what the library takes from the platform depend on the seed: random numbers, ids, and when a digest resolves.
 */
function leaveNothingToChance(dice: Random, ids: Random): void {
  Math.random = () => dice.whole(0, 2 ** 30) / 2 ** 30;
  crypto.getRandomValues = (array) => {
    const bytes = array as unknown as Uint8Array;
    bytes.set(Array.from(bytes, () => ids.whole(0, 255)));
    return array;
  };
  crypto.subtle.digest = async (_algorithm, data) => {
    const digest = createHash('sha1')
      .update(data as Uint8Array)
      .digest();
    return digest.buffer.slice(digest.byteOffset, digest.byteOffset + digest.byteLength) as ArrayBuffer;
  };
}
