import type { StoreCall } from '../../core/ports/lock-store.js';
import { LockStoreError } from '../../core/public/errors.js';
import { tryUntilAnswered } from '../../core/request/try-loop.js';
import { pause } from '../../core/values/clock.js';
import { LIST, LIST_NODE, WHOLE_PREFIX } from './admin-scripts.js';
import { type NodeSlots, slotsOf, tagOfSlot, unservedSlot } from './cluster-slots.js';
import { classifyFailure } from './errors.js';
import { type Page, readPage } from './reply.js';
import type { RedisConnection } from './send.js';

/*
 * The names of all locks. A cluster keeps them on several masters, and moves them while it is resharded or fails over.
 * Each page of names brings what its node says about its own slots, read at the same instant. A list is complete only
 * if the nodes serve all slots, and no node's slots changed or moved between its first page and its last. Otherwise the
 * list begins anew, and fails in the end: no lock is left out in silence.
 */

/** Time before a list of a cluster begins anew. */
const PAUSE_MS = 100;

/** @throws LockStoreError, also if not every lock can be listed */
export async function namesUnderPrefix(redis: RedisConnection, call: StoreCall): Promise<ReadonlySet<string>> {
  const { keyPrefix, masters, send } = redis;
  if (masters === undefined) return namesOf(await pagesOf(redis, call, (cursor) => send(LIST, [keyPrefix], [cursor])));
  const ask = async () => (await masters())?.length;
  const count = await answerOf(redis, call, ask);
  if (count !== undefined) return namesInCluster(redis, call);

  const pages = await pagesOf(redis, call, (cursor) => send(LIST_NODE, [keyPrefix], [cursor]));
  const isInCluster = pages.some(({ node }) => node !== '');
  const slots = nodeOf(pages);
  if (isInCluster && unservedSlot(slots ? [slots] : []) !== undefined) throw ofANode();
  return namesOf(pages);
}

async function namesInCluster(redis: RedisConnection, call: StoreCall): Promise<ReadonlySet<string>> {
  const { clock, budgetMs, signal } = call;
  const end = clock.monotonic() + budgetMs;
  // A client that adds a prefix of its own adds it to keys only, and only as a client of the cluster.
  const prefix = String(await answerOf(redis, call, () => redis.send(WHOLE_PREFIX, [redis.keyPrefix], [])));
  for (;;) {
    const leftMs = Math.max(1, end - clock.monotonic());
    // A node that does not answer may have been replaced: ask it for a part of the time, then look at the nodes again.
    const round = await namesOfRound(redis, { ...call, budgetMs: Math.min(leftMs, call.tryMs) }, prefix).catch(
      (error: unknown) => {
        if (error instanceof LockStoreError && error.retryable) return error;
        throw error;
      },
    );
    if (!(round instanceof LockStoreError) && typeof round !== 'number') return round;
    if (signal.aborted || clock.monotonic() + PAUSE_MS >= end)
      throw round instanceof LockStoreError ? round : unsteady();
    redis.lookAgain(redis.keyPrefix + (prefix.includes('{') ? '' : tagOfSlot(typeof round === 'number' ? round : 0)));
    await pause(PAUSE_MS, clock, signal);
  }
}

/** Lists each master once. @returns the names, or a slot that no master served all the time */
async function namesOfRound(
  redis: RedisConnection,
  call: StoreCall,
  prefix: string,
): Promise<ReadonlySet<string> | number> {
  const masters = (await answerOf(redis, call, async () => redis.masters?.())) ?? [];
  const nodes: NodeSlots[] = [];
  const names = new Set<string>();
  for (const send of masters) {
    const pages = await pagesOf(redis, call, (cursor) => send(LIST_NODE, [], [cursor, prefix]));
    const node = nodeOf(pages);
    if (node) nodes.push(node);
    for (const name of namesOf(pages)) names.add(name);
  }
  return unservedSlot(nodes) ?? names;
}

/** What the node of these pages says about its slots; undefined without a cluster, and if its slots are not steady. */
function nodeOf(pages: readonly Page[]): NodeSlots | undefined {
  const lines = new Set(pages.map(({ node }) => JSON.stringify(slotsOf(node))));
  const [{ node } = { node: '' }] = pages;
  const slots = slotsOf(node);
  return lines.size > 1 || slots.isMoving || node === '' ? undefined : slots;
}

const namesOf = (pages: readonly Page[]) => new Set(pages.flatMap(({ names }) => names));

/** Asks for pages until the last. @throws LockStoreError */
async function pagesOf(
  redis: RedisConnection,
  call: StoreCall,
  ask: (cursor: string) => Promise<unknown>,
): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor = '0';
  do {
    const asked = cursor;
    const page = await answerOf(redis, call, async () => readPage(await ask(asked)));
    pages.push(page);
    cursor = page.cursor;
  } while (cursor !== '0');
  return pages;
}

/** @throws LockStoreError */
async function answerOf<T>(redis: RedisConnection, call: StoreCall, send: () => Promise<T>): Promise<T> {
  const answer = await tryUntilAnswered(call, send, classifyFailure);
  if ('error' in answer) throw await redis.listFailure(answer.error, call);
  return answer.value;
}

function unsteady(): LockStoreError {
  return listError(
    'UNAVAILABLE',
    'the slots of the cluster moved while it was read, or no master of the client serves some of them; try again',
  );
}

function ofANode(): LockStoreError {
  return listError(
    'INVALID_REQUEST',
    'this Redis is one node of a cluster, and has only some of its locks; pass the store a client of the cluster, such as new Cluster([…]) of ioredis or createCluster({ rootNodes }) of node-redis',
  );
}

function listError(code: 'UNAVAILABLE' | 'INVALID_REQUEST', why: string): LockStoreError {
  const retryable = code === 'UNAVAILABLE';
  return new LockStoreError(`list failed: ${why}`, { code, lockName: '*', operation: 'list', retryable });
}
