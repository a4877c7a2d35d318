import type { LockAdminStore, StoredLock } from '../../core/ports/lock-admin-store.js';
import type { LockStore, StoreCall } from '../../core/ports/lock-store.js';
import type { MemberStore } from '../../core/ports/member-store.js';
import { lockKey } from '../../core/record/lock-record.js';
import { answered, tryUntilAnswered } from '../../core/request/try-loop.js';
import { takingTurns } from '../../core/request/turns.js';
import { checkKnown, checkMethods, namesOf } from '../../core/values/checks.js';
import { defined } from '../../core/values/defined.js';
import { checkKeyPrefix } from '../../core/values/names.js';
import { operationOf } from '../decisions.js';
import { locksIn, type Swap, storeOver } from '../storage-store.js';
import { LockObject, type LockObjectState } from './lock-object.js';
import { readNames } from './object-answer.js';
import { askIndex, classify, failureOf, type LockNamespace, sendVerb } from './object-request.js';

export { type LockNamespace, LockObject, type LockObjectState };

/** Options of `durableObjectStore`. */
export interface DurableObjectStoreOptions {
  /** Put before each lock name in the name of its object. @default '' */
  readonly keyPrefix?: string;
}

const OPTIONS = namesOf<DurableObjectStoreOptions>({ keyPrefix: true });

/** Read ten locks at a time: Node warns when an AbortSignal has more than ten listeners. */
const LANES = 10;

/**
 * Makes a store for locks in Durable Objects of Cloudflare: one object for each lock. A run costs two requests to the
 * object, a skip one, and the first run of a new name four. The store is its own admin store.
 *
 * @example
 * ```ts
 * import { withSingleExecution } from 'single-execution/cloudflare';
 * import { durableObjectStore, type LockNamespace } from 'single-execution/durable-objects';
 *
 * export { LockObject } from 'single-execution/durable-objects';
 *
 * type Env = { LOCKS: LockNamespace };
 *
 * export default {
 *   scheduled: withSingleExecution(async (controller) => console.log('the digest of', controller.scheduledTime), {
 *     name: 'send-digest',
 *     store: (env: Env) => durableObjectStore(env.LOCKS),
 *     maxDuration: '15m',
 *   }),
 * };
 * ```
 *
 * @param namespace the binding of the class `LockObject`
 * @throws TypeError, RangeError for a namespace that is not bound, another binding, and invalid options; nothing is sent
 */
export function durableObjectStore(
  namespace: LockNamespace,
  options: DurableObjectStoreOptions = {},
): LockStore & MemberStore & LockAdminStore {
  checkNamespace(namespace);
  checkKnown(options, OPTIONS, 'durableObjectStore');
  const { keyPrefix = '' } = options;
  checkKeyPrefix(keyPrefix);

  const swap: Swap = (verb, name, asked, call) =>
    sendVerb(namespace, { verb, name, asked, key: lockKey(keyPrefix, name, operationOf(verb)) }, call);
  return takingTurns(
    namespace,
    storeOver(swap, (call) => listLocks(namespace, keyPrefix, swap, call)),
  );
}

const BOUND = 'bind the class LockObject in durable_objects of wrangler.jsonc, and pass the binding, such as env.LOCKS';

/** What to do with a binding of another kind, by a function that only this kind has. A stub has every function. */
const OTHER_KINDS = {
  fetch: `a stub or the binding of a service: ${BOUND}`,
  prepare: 'a D1 database: pass it to sqliteStore({ client }) of single-execution/sqlite',
  put: `a KV namespace or a bucket, which keeps no locks: ${BOUND}`,
};

/** @throws TypeError for a value that is not the binding of a Durable Object */
function checkNamespace(namespace: LockNamespace): void {
  if (typeof namespace === 'object' && namespace !== null) {
    const other = Object.entries(OTHER_KINDS).find(([name]) => typeof Reflect.get(namespace, name) === 'function');
    if (other) throw new TypeError(`namespace is ${other[1]}`);
  }
  checkMethods('namespace', namespace, ['idFromName', 'get'], BOUND);
}

async function listLocks(
  namespace: LockNamespace,
  keyPrefix: string,
  swap: Swap,
  call: StoreCall,
): Promise<StoredLock[]> {
  const endMono = call.clock.monotonic() + call.budgetMs;
  const rest = (): StoreCall => ({ ...call, budgetMs: Math.max(1, endMono - call.clock.monotonic()) });

  const locks: StoredLock[] = [];
  for (let after: string | undefined; ; ) {
    const { names, isEnd }: Awaited<ReturnType<typeof namesAfter>> = await namesAfter(
      namespace,
      { prefix: keyPrefix, ...defined({ after }) },
      rest(),
    );
    const left = locksIn(
      keyPrefix,
      names.map((key) => ({ key })),
    ).values();
    const lane = async () => {
      for (const { name } of left) {
        const { item, result: readMs } = answered(await swap('get', name, name, rest()));
        // A name is listed just before its first record is written.
        if (item) locks.push({ name, item, readMs });
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    if (isEnd) return locks;
    after = names.at(-1);
  }
}

/** Asks the index for the next names. @throws LockStoreError */
async function namesAfter(
  namespace: LockNamespace,
  page: { readonly prefix: string; readonly after?: string },
  call: StoreCall,
): Promise<ReturnType<typeof readNames>> {
  const answer = await tryUntilAnswered(
    call,
    async (signal) => readNames(await askIndex(namespace, page, signal)),
    classify,
  );
  if ('error' in answer) throw failureOf(answer.error, 'list', '*');
  return answer.value;
}
