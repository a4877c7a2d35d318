import type { Clock } from '../../index.js';
import { nameOfThrown } from '../store/reach.js';
import {
  clockVerdict,
  type Examiner,
  type Finding,
  look,
  lookByReading,
  ok,
  problem,
  unknown,
  type Verdict,
  warning,
} from './finding.js';

const OLDEST_VERSION = 7;

type Facts = ReadonlyMap<string, string>;

type Command = (name: string, ...args: string[]) => Promise<unknown>;

/** Looks at a Redis. Writes nothing. */
export async function lookAtRedis(command: Command, session: Examiner): Promise<readonly Finding[]> {
  const script = await lookByScript(session);
  if (script.status === 'problem') return [script];
  const about = async (check: string, section: string, judge: (facts: Facts) => Verdict) =>
    look(
      check,
      async () => judge(factsOf(await command('INFO', section))),
      (error) => unknown(`may not look: ${nameOfThrown(error)}`, 'allow INFO to this user'),
    );
  return [
    script,
    await lookAtClock(session.clock, () => command('TIME')),
    await about('version', 'server', versionOf),
    await about('role', 'replication', roleOf),
    await about('eviction', 'memory', evictionOf),
    await about('persistence', 'persistence', persistenceOf),
  ];
}

/** Looks at Upstash Redis, which does not report its settings. */
export async function lookAtUpstash(time: () => Promise<unknown>, session: Examiner): Promise<readonly Finding[]> {
  const script = await lookByScript(session);
  if (script.status === 'problem') return [script];
  return [
    script,
    await lookAtClock(session.clock, time),
    { check: 'eviction', ...unknown('Upstash does not report it', 'check in its console that eviction is off') },
  ];
}

/** Checks that Redis runs scripts: a read is a script. */
const lookByScript = (session: Examiner) =>
  lookByReading(session, 'script', 'runs', 'see docs/stores/redis.md, "Permissions or setup"');

function lookAtClock(clock: Clock, time: () => Promise<unknown>): Promise<Finding> {
  return look(
    'clock',
    async () => {
      const sent = clock.now();
      const [seconds, micros] = ((await time()) as unknown[]).map(Number) as [number, number];
      const serverMs = seconds * 1_000 + Math.floor(micros / 1_000);
      return clockVerdict({ minMs: serverMs - clock.now(), maxMs: serverMs + 1 - sent });
    },
    (error) => unknown(`may not look: ${nameOfThrown(error)}`, 'allow TIME to this user'),
  );
}

/** The lines `name:value` of a reply to INFO. */
function factsOf(reply: unknown): Facts {
  const lines = String(reply).split(/\r?\n/);
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

function versionOf(facts: Facts): Verdict {
  const version = facts.get('redis_version') ?? 'unknown';
  return Number.parseInt(version, 10) >= OLDEST_VERSION
    ? ok(version)
    : problem(version, `use Redis ${OLDEST_VERSION} or later`);
}

function roleOf(facts: Facts): Verdict {
  const role = facts.get('role') ?? 'unknown';
  return role === 'slave' ? problem('replica', 'give the URL of the primary: a replica takes no locks') : ok('primary');
}

function evictionOf(facts: Facts): Verdict {
  const policy = facts.get('maxmemory_policy') ?? 'unknown';
  if (policy === 'noeviction') return ok(`maxmemory-policy ${policy}`);
  const remedy = 'set maxmemory-policy noeviction, or keep locks in an instance of their own';
  const found = `maxmemory-policy ${policy}`;
  return policy.startsWith('allkeys') ? problem(`${found}: locks can be evicted`, remedy) : warning(found, remedy);
}

function persistenceOf(facts: Facts): Verdict {
  if (facts.get('aof_enabled') === '1') return ok('append-only file');
  return warning(
    'no append-only file',
    'set appendonly yes: a Redis that crashes forgets the writes since its last snapshot, and two runs can overlap',
  );
}
