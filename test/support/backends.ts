import { randomBytes } from 'node:crypto';
import { azure } from './backends/azure.js';
import type { Ability, Backend, Engine, OpenStore, Sends, StoreAddress } from './backends/backend.js';
import { durableObjects } from './backends/durable-objects.js';
import { dynamodb } from './backends/dynamodb.js';
import { memory } from './backends/memory.js';
import { mysql } from './backends/mysql.js';
import { postgres } from './backends/postgres.js';
import { redis } from './backends/redis.js';
import { sqlite } from './backends/sqlite.js';
import { upstash } from './backends/upstash.js';

/*
 * Every store of the library, each with the engine below it. Each suite over real engines runs over this list, so that
 * a new store is proved everywhere by its entry. Programs of the tests import this file, too: it must not import Vitest.
 */

export const BACKENDS = {
  memory,
  dynamodb,
  redis,
  upstash,
  postgres,
  mysql,
  sqlite,
  'durable-objects': durableObjects,
  azure,
} as const;

/** The name of a store's door, such as `redis`. */
export type Kind = keyof typeof BACKENDS;

export const KINDS = Object.keys(BACKENDS) as readonly Kind[];

export const backendOf = (kind: string): Backend => BACKENDS[kind as Kind];

/** The kinds that have all of these abilities. */
export function kindsWith(...abilities: readonly Ability[]): readonly Kind[] {
  return KINDS.filter((kind) => abilities.every((ability) => backendOf(kind).lacks[ability] === undefined));
}

/** Opens a store with connections of its own, in this or in any other process of the tests. */
export function openStore(address: StoreAddress, sends?: Sends): Promise<OpenStore> {
  return backendOf(address.kind).open(address, sends);
}

/** Makes a place for locks on an engine that nobody has used. @returns its address */
export async function freshPlace(engine: Engine): Promise<StoreAddress> {
  const address = engine.at(`locks_${randomBytes(8).toString('hex')}`);
  await engine.make(address);
  return address;
}
