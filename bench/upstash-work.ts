/**
 * The work of `upstash.ts`, in a process of its own. Its arguments are the address and the token of a Redis behind
 * Upstash's REST, and how many rounds to measure.
 */
import { Redis } from '@upstash/redis';
import { withSingleExecution } from 'single-execution';
import { lambdaContext } from 'single-execution/testing';
import { upstashStore } from 'single-execution/upstash';
import { newAttemptId } from '../src/core/values/attempt-id.js';
import { compare, type Work } from './side-by-side.js';

const [url = '', token = '', rounds = '60'] = process.argv.slice(2);
const ROUNDS = Number(rounds);
const LEASE_MS = 60_000;
const AT_ONCE = 64;
const OLD_TICK = Date.UTC(2026, 0, 1);
const COMPARE_AND_DELETE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;

const clientOf = () => new Redis({ url, token, retry: { retries: 0 } });
const client = clientOf();

/** A wrapped handler, called as Lambda would, with a tick per event. */
function wrapped(name: string, redis: Redis = client) {
  const store = upstashStore({ redis });
  const options = { name, store, tick: (event: { tick: number }) => event.tick, observers: [] };
  const handler = withSingleExecution(async (_: { tick: number }) => 'done', options);
  const context = lambdaContext();
  return async (tick: number, outcome: 'executed' | 'skipped') => {
    const isRun = (await handler({ tick }, context)) === 'done';
    if (isRun !== (outcome === 'executed')) throw new Error(`the run of "${name}" was not ${outcome}`);
  };
}

async function bareRun(key = 'bare', redis: Redis = client): Promise<void> {
  const id = newAttemptId();
  if ((await redis.set(key, id, { nx: true, px: LEASE_MS })) !== 'OK') throw new Error('the bare lock is held');
  if ((await redis.eval(COMPARE_AND_DELETE, [key], [id])) !== 1) throw new Error('the bare lock was lost');
}

async function bareSkip(): Promise<void> {
  const answer = await client.set('bare, held', newAttemptId(), { nx: true, px: LEASE_MS });
  if (answer !== null) throw new Error('the bare lock was free');
}

let tick = Date.now() - 10_000_000;
const ours = wrapped('ours');
const done = wrapped('done');
for (let run = 0; run < 12; run++) {
  await ours(tick++, 'executed');
  await done(Date.now(), 'executed');
}
await client.set('bare, held', newAttemptId());

const ourRun = () => ours(tick++, 'executed');
const ourSkip = () => done(OLD_TICK, 'skipped');
const names = Array.from({ length: AT_ONCE }, (_, i) => `many ${i}`);
const many = names.map((name) => wrapped(name));
const all = (work: (i: number) => Promise<unknown>) => () => Promise.all(names.map((_, i) => work(i)));
const ourRuns = all((i) => many[i]?.(tick++, 'executed') ?? Promise.resolve());
const bareRuns = all((i) => bareRun(`bare ${i}`));
const ourSkips = all(ourSkip);
const bareSkips = all(bareSkip);

/** What goes over the wire: requests, and the bytes of their bodies. */
async function counted(work: Work): Promise<Record<'requests' | 'sent, bytes' | 'received, bytes', number>> {
  const { fetch } = globalThis;
  const traffic = { requests: 0, 'sent, bytes': 0, 'received, bytes': 0 };
  globalThis.fetch = async (input, init) => {
    traffic.requests++;
    traffic['sent, bytes'] += String(init?.body).length;
    const response = await fetch(input, init);
    traffic['received, bytes'] += (await response.clone().arrayBuffer()).byteLength;
    return response;
  };
  await work();
  globalThis.fetch = fetch;
  return traffic;
}

await ourRuns();
console.table({
  'a bare run': await counted(() => bareRun()),
  'our run': await counted(ourRun),
  'a bare skip': await counted(bareSkip),
  'our skip': await counted(ourSkip),
  [`${AT_ONCE} bare runs`]: await counted(bareRuns),
  [`${AT_ONCE} runs of ours`]: await counted(ourRuns),
  [`${AT_ONCE} runs of ours, scripts not loaded`]: await client.scriptFlush().then(() => {
    const redis = clientOf();
    const fresh = names.map((name) => wrapped(name, redis));
    return counted(all((i) => fresh[i]?.(tick++, 'executed') ?? Promise.resolve()));
  }),
});
await compare(
  'a run, against a SET NX PX and a compare-and-delete by EVAL',
  { rounds: ROUNDS },
  { bare: () => bareRun(), ours: ourRun },
);
await compare('a skip, against a refused SET NX PX', { rounds: ROUNDS }, { bare: bareSkip, ours: ourSkip });
const turns = { rounds: ROUNDS, perBlock: 8 };
await compare(`${AT_ONCE} runs at once, each of a name of its own`, turns, { bare: bareRuns, ours: ourRuns });
await compare(`${AT_ONCE} skips at once`, turns, { bare: bareSkips, ours: ourSkips });
