import { executeWithLock, type LockStore } from 'single-execution';
import { expect, onTestFinished } from 'vitest';
import { patientStore } from '../support/contract-harness.js';

/*
 * What becomes of a client that is not one, or that does not answer with rows, for each database.
 */

export const RAN = 'executed, released';
export const INSTEAD = expect.stringMatching(
  /^INVALID_REQUEST: the client answered a (read|write) with .* instead of /,
);

/** Closes what a test has opened, at its end. */
export const finally_ = (close: () => unknown) => onTestFinished(async () => void (await close()));

export interface Misuse<Client> {
  /** What happens at the creation of a store. */
  refusal(client: unknown): string;
  /** Runs twice, because the first run of a name inserts and the second one updates. */
  twoRuns(client: Client): Promise<string[]>;
}

export function misuseOf<Client>(storeOver: (options: { readonly client: Client }) => LockStore): Misuse<Client> {
  let names = 0;
  return {
    refusal(client) {
      try {
        storeOver({ client: client as Client });
        return 'taken';
      } catch (error) {
        return String(error);
      }
    },
    async twoRuns(client) {
      const options = {
        name: `misuse ${names++}`,
        store: patientStore(storeOver({ client })),
        lockAtMostFor: '1m',
        observers: [],
      };
      const run = () =>
        executeWithLock(() => 'ran', options).then(
          (outcome) => (outcome.status === 'executed' ? `executed, ${outcome.release}` : outcome.reason),
          ({ code, message }) => `${code}: ${message.replace(/.* failed: /, '')}`,
        );
      return [await run(), await run()];
    },
  };
}
