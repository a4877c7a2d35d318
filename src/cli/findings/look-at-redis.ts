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

interface Examined {
  readonly keyPrefix: string;
  command(name: string, ...args: string[]): Promise<unknown>;
  /** Runs a script over one key. */
  evaluate(script: string, key: string, args: string[]): Promise<unknown>;
}

/** Looks at a Redis. Writes nothing. */
export async function lookAtRedis(examined: Examined, session: Examiner): Promise<readonly Finding[]> {
  const { command } = examined;
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
    await lookAtRights(examined),
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
const lookByScript = (session: Examiner) => lookByReading(session, 'script', 'runs');

/** The commands that a run needs, in the form of an example. In place of `key` stands the key of a lock. */
const OF_A_RUN = ['TIME', 'HGETALL key', 'HMGET key f', 'HGET key f', 'HSET key f v', 'HDEL key f'];

/** Asks which commands this user may not run in a script, and runs none of them. */
const MAY_NOT = `
local denied = {}
for _, words in ipairs(ARGV) do
  local command = {}
  for word in string.gmatch(words, '%S+') do command[#command + 1] = word == 'key' and KEYS[1] or word end
  if redis.acl_check_cmd and not redis.acl_check_cmd(unpack(command)) then denied[#denied + 1] = command[1] end
end
return table.concat(denied, ' ')
`;

function lookAtRights({ evaluate, keyPrefix }: Examined): Promise<Finding> {
  return look(
    'rights',
    async () => {
      const denied = String(await evaluate(MAY_NOT, `${keyPrefix}doctor`, OF_A_RUN));
      if (denied === '') return ok(`this user may run what a run needs, on ${keyPrefix}*`);
      const rules = denied.toLowerCase().replaceAll(/\S+/g, '+$&');
      return problem(
        `this user may not run ${denied}: a run fails`,
        `ACL SETUSER <user> ${rules}; docs/stores/redis.md has the whole line`,
      );
    },
    (error) => unknown(`may not look: ${nameOfThrown(error)}`, 'allow EVAL to this user'),
  );
}

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
  return role === 'slave' ? problem('replica', 'pass the URL of the primary: a replica takes no locks') : ok('primary');
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
