import { randomUUID } from 'node:crypto';
import { shiftedClock } from '../support/clocks.js';
import { patientCall } from '../support/contract-harness.js';
import { type ClientAge, type Library, libraryOn } from './clients.js';
import { recordText } from './record-text.js';
import { azureRoute } from './routes/azure.js';
import { objectsRoute } from './routes/durable-objects.js';
import { dynamoDBRoute } from './routes/dynamodb.js';
import { mysqlRoute } from './routes/mysql.js';
import { postgresRoute } from './routes/postgres.js';
import { redisRoute } from './routes/redis.js';
import type { AnyFault, Route, Stores } from './routes/route.js';
import { fileRoute, libsqlRoute } from './routes/sqlite.js';
import { upstashRoute } from './routes/upstash.js';
import type { StageOptions } from './stages.js';
import type { Wire } from './wire/wire.js';

/** The surroundings of one case: locks that no other case has, and a way of its own to the store. */
export interface Scene extends Stores {
  readonly library: Library;
  readonly wire: Wire<AnyFault>;
  /** Stores that reach the server past the wire. */
  readonly direct: Stores;
  verbs(): readonly string[];
  /** The ids of the attempts that the requests so far named. */
  attempts(): ReadonlySet<string>;
  /** The record of {@link NAME} in words, and its fencing token. */
  record(): Promise<{ readonly text: string; readonly fencingToken: unknown }>;
  stop(): Promise<void>;
}

/** The only lock of a scene. The store's key prefix keeps it apart from other scenes. */
export const NAME = 'job';

/** A real store, reached by one client. */
export interface Stage {
  readonly options: StageOptions;
  scene(): Promise<Scene>;
  stop(): Promise<unknown>;
}

/** A call for requests that no fault strikes. */
const unstruckCall = () => patientCall(shiftedClock(0));

/** Waits longer than a case: only the library ends a request to a client that names no time. */
const NO_SILENCE_MS = 60_000;

function routeOf(options: StageOptions, library: Library): Promise<Route> {
  const { silenceMs = NO_SILENCE_MS } = options;
  switch (options.way) {
    case 'DynamoDB':
      return dynamoDBRoute(library, options.retriesItself === true);
    case 'Upstash':
      return upstashRoute(library);
    case 'Redis':
      return redisRoute(options.client, silenceMs);
    case 'Postgres':
      return postgresRoute(options.client, silenceMs);
    case 'MySQL':
      return mysqlRoute(options.client);
    case 'Durable Objects':
      return objectsRoute();
    case 'Azure':
      return azureRoute();
    case 'libSQL':
      return libsqlRoute();
    default:
      return fileRoute();
  }
}

export const ageOf = (options: StageOptions): ClientAge => ('clients' in options ? options.clients : 'newest');

export async function startStage(options: StageOptions): Promise<Stage> {
  const library = await libraryOn(ageOf(options));
  const route = await routeOf(options, library);
  // One connection for all scenes: a client takes longer to make than most cases take.
  const pastWires = await route.connect();
  const scene = async (): Promise<Scene> => {
    const keyPrefix = `${randomUUID()}:`;
    let verb = '';
    const note = (called: string) => {
      verb = called;
    };
    const wire = await route.wire(() => verb);
    const direct = pastWires.open(keyPrefix);
    const connection = await route.connect(wire);
    const { store, admin } = connection.open(keyPrefix);
    const struck = { store: noting(store, note), admin: noting(admin, note) };
    // Warm up: a client learns some things of its server only once, and takes long for a second connection.
    await Promise.all([1, 2].map(() => struck.admin.get('first of all', unstruckCall())));
    wire.reset();
    const attempts = () => new Set(wire.seen().flatMap(({ attempt }) => attempt?.match(/^a/)?.input ?? []));
    return {
      library,
      wire,
      ...struck,
      direct,
      verbs: () => route.verbsOf(wire.seen()),
      attempts,
      async record() {
        const { item = {} } = (await direct.admin.get(NAME, unstruckCall())) ?? {};
        return { text: recordText(item, attempts()), fencingToken: item['fencingToken'] };
      },
      async stop() {
        // A client can wait for what is under way: only the end of its connections ends that.
        void connection.close();
        await wire.stop();
      },
    };
  };
  const stop = async () => {
    await pastWires.close();
    return route.stop();
  };
  return { options, scene, stop };
}

function noting<S extends object>(store: S, note: (verb: string) => void): S {
  return new Proxy(store, {
    get(target, verb) {
      const value: unknown = Reflect.get(target, verb);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        note(String(verb));
        return value.apply(target, args);
      };
    },
  });
}
