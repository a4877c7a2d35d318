import { startBackends } from '../support/backends/stage.js';
import type { Kind as BackendKind } from '../support/backends.js';
import { memoryHarness } from '../support/contract-harness.js';
import type { Ground, Kind } from './scenario.js';

export interface Grounds {
  readonly all: readonly Ground[];
  readonly redisVersion: string;
  stop(): Promise<void>;
}

/** The backends that the scenarios are played on, by their names on the page. */
const PLAYED: Readonly<Record<Kind, BackendKind>> = {
  memory: 'memory',
  DynamoDB: 'dynamodb',
  Redis: 'redis',
  Upstash: 'upstash',
};

export async function startGrounds(): Promise<Grounds> {
  const stage = await startBackends(...Object.values(PLAYED));
  const all = Object.entries(PLAYED).map(([name, kind]): Ground => {
    const { store, admin, engine, address } = stage.on(kind);
    const harness = () => (kind === 'memory' ? memoryHarness() : engine.harness(address, { store, admin }));
    return { kind: name as Kind, store, admin, harness };
  });
  return {
    all,
    redisVersion: /redis_version:([\d.]+)/.exec(await stage.on('redis').engine.client.info('server'))?.[1] ?? 'unknown',
    stop: stage.stop,
  };
}
