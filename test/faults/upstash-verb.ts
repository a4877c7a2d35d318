import { createHash } from 'node:crypto';
import {
  DELETE,
  FORCE_RELEASE,
  GET,
  LIST,
  LIST_NODE,
  LIST_TICKS,
  PAUSE,
  RESUME,
} from '../../src/stores/redis/admin-scripts.js';
import { ACQUIRE, CANCEL, CHECK_IN, EXTEND, MARK, RELEASE } from '../../src/stores/redis/scripts.js';

const SCRIPTS = {
  acquire: ACQUIRE,
  cancel: CANCEL,
  extend: EXTEND,
  mark: MARK,
  release: RELEASE,
  checkIn: CHECK_IN,
  get: GET,
  list: LIST,
  forceRelease: FORCE_RELEASE,
  pause: PAUSE,
  resume: RESUME,
  delete: DELETE,
  listTicks: LIST_TICKS,
};

const hashOf = (text: string) => createHash('sha1').update(text).digest('hex');
const VERBS = new Map(Object.entries(SCRIPTS).map(([verb, { text }]) => [hashOf(text), verb]));
// Over a connection, a list may read the nodes of a cluster.
VERBS.set(hashOf(LIST_NODE.text), 'list');

/** The index of a script's first argument in the command that runs it: EVALSHA, hash, 1, key, argument. */
const FIRST_ARGUMENT = 4;

/**
 * The verb of a request to the bridge, recognised by the hash of its script. The request is one command, alone or in a
 * pipeline.
 */
export function upstashVerbOf(body: unknown): string {
  return VERBS.get(String(commandIn(body)[1])) ?? 'other';
}

export function upstashAttemptOf(body: unknown): string | undefined {
  const attempt = commandIn(body)[FIRST_ARGUMENT];
  return typeof attempt === 'string' ? attempt : undefined;
}

function commandIn(body: unknown): readonly unknown[] {
  const [first] = Array.isArray(body) ? body : [];
  if (Array.isArray(first)) return first;
  return Array.isArray(body) ? body : [];
}
