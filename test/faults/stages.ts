import type { ClientAge } from './clients.js';

export type StoreKind = 'dynamodb' | 'upstash';

export interface StageOptions {
  readonly store: StoreKind;
  readonly clients: ClientAge;
  /** Whether the client may retry by itself, as it does by default. */
  readonly retriesItself?: true;
}

/** The stages on which the table is played: each store, with the oldest supported client and with the newest, and more. */
export const STAGES = {
  'DynamoDB, the oldest client': { store: 'dynamodb', clients: 'oldest' },
  'DynamoDB, a tree with several copies of its core': { store: 'dynamodb', clients: 'copied' },
  'DynamoDB, the newest client': { store: 'dynamodb', clients: 'newest' },
  'DynamoDB, a client that tries again by itself': { store: 'dynamodb', clients: 'newest', retriesItself: true },
  'Upstash, the oldest client': { store: 'upstash', clients: 'oldest' },
  'Upstash, the newest client': { store: 'upstash', clients: 'newest' },
} as const satisfies Readonly<Record<string, StageOptions>>;
