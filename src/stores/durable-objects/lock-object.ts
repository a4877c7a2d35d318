import { type Item, isText, readGrant, readRecord } from '../../core/record/lock-record.js';
import { type Sent, systemClock } from '../../core/values/clock.js';
import { type Asked, decide, isVerb, type Verb } from '../decisions.js';
import { type IndexAnswer, type LockAnswer, PROTOCOL } from './object-answer.js';

/*
 * The object of one lock, and the object that lists the names of all. Each verb of the store is one request: the object
 * reads its record, decides by the rules of every store, and writes, and no other request comes between. Its own clock
 * decides. A grant and an extension that come after the end of their call write nothing, and neither does an acquire
 * whose attempt has ended: the object remembers the last twenty. A record is written only once its name is in the index,
 * which costs two more requests for each new name. Not promised: anything after the platform has lost a write that it
 * had acknowledged.
 */

/** The `Response` of the platform, if the project's compiler knows it. */
type PlatformResponse = typeof globalThis extends { readonly Response: { readonly prototype: infer Known } }
  ? Known
  : object;

/** The part of `DurableObjectState` that is used here. */
export interface LockObjectState {
  /** The storage of the object. */
  readonly storage: {
    /** Reads the value of a key. */
    get(key: string): Promise<unknown>;
    /** Writes the value of a key. */
    put(key: string, value: unknown): Promise<void>;
    /** Reads the keys with a prefix, in their order. */
    list(options: {
      /** The prefix of the keys. */
      readonly prefix: string;
      /** The key after which the list begins. */
      readonly startAfter?: string;
      /** The greatest number of keys. */
      readonly limit: number;
    }): Promise<Map<string, unknown>>;
  };
  /** Lets no other request begin before the callback has ended. */
  blockConcurrencyWhile<T>(callback: () => Promise<T>): Promise<T>;
}

/** A request to the object of a lock. */
export interface LockRequest<V extends Verb = Verb> {
  readonly verb: V;
  readonly asked: Asked<V>;
  /** The caller's clocks before the first request of the call. */
  readonly sent: Sent;
  /** The time of the object's clock from which a grant or an extension must not be applied any more. */
  readonly untilMs: number;
  /** Whether the caller knows that the name is in the index. */
  readonly isListed: boolean;
}

/** A request to the object that lists the names. */
export interface IndexRequest {
  /** A name to add. */
  readonly add?: string;
  /** Asks for the names with this prefix. */
  readonly prefix?: string;
  /** The name after which they begin. */
  readonly after?: string;
}

/** What the object of a lock has stored. */
interface Stored {
  readonly record: Item;
  /** The attempts that ended last. None of them is granted the lock again. */
  readonly ended: readonly string[];
}

const RECORD = 'lock';
const NAMES = 'name:';
const NAMES_AT_ONCE = 1_000;
const MOST_ENDED = 20;

/**
 * The Durable Object of `durableObjectStore`: one object for each lock. Export it from the Worker, and bind it. It needs
 * no code of yours, and uses no alarms.
 *
 * @example
 * ```ts
 * export { LockObject } from 'single-execution/durable-objects';
 * ```
 */
export class LockObject {
  readonly #state: LockObjectState;
  /** Makes this class fit the type of Durable Objects in @cloudflare/workers-types. It has no value. */
  declare readonly __DURABLE_OBJECT_BRAND: never;

  /**
   * @param state the state that the platform passes
   * @param _env the bindings of the Worker, which are not used
   */
  constructor(state: LockObjectState, _env?: unknown) {
    this.#state = state;
  }

  /** Answers a request of `durableObjectStore`. */
  async fetch(request: {
    /** Reads the body. */
    text(): Promise<string>;
  }): Promise<PlatformResponse> {
    const asked = parsed(await request.text());
    const answer = await this.#state.blockConcurrencyWhile<LockAnswer | IndexAnswer>(async () =>
      isVerb(asked['verb'])
        ? answerOfLock(this.#state, asked as unknown as LockRequest)
        : answerOfIndex(this.#state, asked as unknown as IndexRequest),
    );
    return new Response(JSON.stringify({ protocol: PROTOCOL, ...answer }));
  }
}

/** @throws an error of the storage. The platform then starts the object anew, so that nothing is left half done. */
async function answerOfLock({ storage }: LockObjectState, request: LockRequest): Promise<LockAnswer | IndexAnswer> {
  const { verb, asked, sent, untilMs, isListed } = request;
  if (!isWhole(request)) return UNKNOWN;
  const stored = (await storage.get(RECORD)) as Stored | undefined;
  const nowMs = systemClock.now();
  const { record: item, ended = [] } = stored ?? {};
  const answer = (word: LockAnswer['word'], result?: unknown): LockAnswer => ({ word, nowMs, item, result });

  // The caller makes the error anew, from the same record.
  const decision = decided(verb, asked, { item, nowMs, laterMs: 0, sent, clock: { minMs: 0, maxMs: 0 } });
  if (decision === undefined) return answer('failed');
  const { result, write, isForNow } = decision;
  if (write === undefined) return answer('decided', result);
  if (isForNow && nowMs >= untilMs) return answer('late');
  if (verb === 'acquire' && ended.includes((asked as Asked<'acquire'>).attemptId)) return answer('ended');
  if (stored === undefined && !isListed) return answer('unlisted');
  if (isSound(item) && !isSound(write)) return UNKNOWN;

  const ends = verb === 'cancel' ? (asked as Asked<'cancel'>).claim.attemptId : endedBy(item, write);
  await storage.put(RECORD, { ...stored, record: write, ended: ends === undefined ? ended : withEnded(ended, ends) });
  return answer('decided', result);
}

/** The answer to a request that this version does not know, or that lacks a value which the verb needs. */
const UNKNOWN = { word: 'unknown' } as const;

function isWhole({ sent, untilMs, isListed }: Partial<LockRequest>): boolean {
  const numbers = [untilMs, sent?.firstSentWall, sent?.firstSentMono];
  return numbers.every((value) => Number.isFinite(value)) && typeof isListed === 'boolean';
}

/** Whether every verb can read a record. */
function isSound(record: Item = {}): boolean {
  try {
    readRecord('', record);
    if (record['state'] === 'held') readGrant('', record);
    return record['state'] !== 'held' || isText(record['attemptId']);
  } catch {
    return false;
  }
}

function decided(...args: Parameters<typeof decide>): ReturnType<typeof decide> | undefined {
  try {
    return decide(...args);
  } catch {
    return undefined;
  }
}

/** Returns the attempt that held the lock before a write, and does not any more. */
function endedBy({ state, attemptId }: Item = {}, write: Item): string | undefined {
  const goesOn = write['state'] === 'held' && write['attemptId'] === attemptId;
  return state === 'held' && !goesOn && typeof attemptId === 'string' ? attemptId : undefined;
}

function withEnded(ended: readonly string[], attemptId: string): readonly string[] {
  return [...ended.filter((other) => other !== attemptId), attemptId].slice(-MOST_ENDED);
}

async function answerOfIndex({ storage }: LockObjectState, request: IndexRequest): Promise<IndexAnswer> {
  const { add, prefix, after } = request;
  if (typeof add === 'string') {
    await storage.put(NAMES + add, true);
    return { word: 'added' };
  }
  if (typeof prefix !== 'string') return UNKNOWN;
  const startAfter = after === undefined ? {} : { startAfter: NAMES + after };
  const found = await storage.list({ prefix: NAMES + prefix, ...startAfter, limit: NAMES_AT_ONCE });
  const names = [...found.keys()].map((key) => key.slice(NAMES.length));
  return { word: 'names', names, isEnd: names.length < NAMES_AT_ONCE };
}

/** Returns the request in a text; an empty one for anything else, and for another version of the exchange. */
function parsed(text: string): Item {
  try {
    const request: Item = Object(JSON.parse(text));
    return request['protocol'] === PROTOCOL ? request : {};
  } catch {
    return {};
  }
}
