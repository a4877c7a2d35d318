/**
 * What each system does if a network, a clock or a trigger misbehaves: the real library in processes of its own, behind
 * proxies that lose answers. `npx tsx bench/others.ts` prints what was observed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startFaultProxy } from '../test/support/fault-proxy.js';
import { startTcpFaultProxy, type TcpFault } from '../test/support/tcp-fault-proxy.js';
import { startUpstashBridge } from '../test/support/upstash-bridge.js';
import type { Host, Stage, System } from './systems.js';

const LEASE_MS = 2_000;
/** A lease that outlasts its run on any machine, and is shorter than the error of the skewed clock. */
const LONG_LEASE_MS = 20_000;
/**
 * Returns how long after the start of a lease another call sees that the lease is over. On DynamoDB this takes longer,
 * because its clock is read in whole seconds.
 */
const overMs = ({ engine }: System): number => LEASE_MS + (engine === 'DynamoDB' ? 4_000 : 500);
/** The time after which the platform ends a function. */
const TIME_OUT_MS = 8_000;
const OVERRUN_MS = 9_000;
const SKEW_MS = 60_000;
const TICK_MS = Date.now() - 86_400_000;
const NEXT_TICK_MS = TICK_MS + 60_000;

type Trouble = 'lost answer' | 'no answer';

export const PROBES = {
  'lost answer': 'The answer to the acquire is lost; the server has applied it. A call that rejects is retried.',
  'black hole': 'The answer to the acquire never comes. The platform ends the function after 8 s, and retries.',
  overrun: 'A run takes 9 s, with a lease of 2 s; the next tick is delivered again and again meanwhile.',
  'skewed clock': 'During a run with a lease of 20 s, its tick is delivered to a host whose clock is 60 s ahead.',
  'late duplicate': 'A tick is delivered again once its run is over.',
} as const;
export type Probe = keyof typeof PROBES;

/** Observes a system in each probe. All probes of the system go on at once, because they mostly wait. */
export async function probed(stage: Stage, system: System): Promise<Record<Probe, string>> {
  const plays: Record<Probe, (stage: Stage, system: System) => Promise<string>> = {
    'lost answer': (...of) => answerLost(...of, 'lost answer'),
    'black hole': (...of) => answerLost(...of, 'no answer'),
    overrun,
    'skewed clock': skewedClock,
    'late duplicate': lateDuplicate,
  };
  const entries = Object.entries(plays).map(async ([probe, play]) => [probe, await play(stage, system)] as const);
  return Object.fromEntries(await Promise.all(entries)) as Record<Probe, string>;
}

/**
 * Delivers a tick whose acquire gets no answer. Delivers it again if the delivery rejects or times out, as a platform
 * does.
 */
async function answerLost(stage: Stage, system: System, trouble: Trouble): Promise<string> {
  const network = await networkOf(stage, system);
  const place = { url: network.url, tableName: await stage.freshTable(), leaseMs: LEASE_MS };
  const name = `${trouble} ${system.file}`;
  const order = { do: 'deliver', name, tickMs: TICK_MS, taskMs: 0 } as const;
  let host = await stage.host(system, place);
  let runs = 0;
  const deliver = async () => {
    const before = runsOf(host).length;
    const how = await ended(host.order(order), TIME_OUT_MS);
    runs += runsOf(host).length - before;
    if (how !== 'timeout') return how;
    // The platform ends such an environment, and starts a new one for the retry.
    host.kill();
    host = await stage.host(system, place);
    return how;
  };
  try {
    const before = () => host.order({ ...order, name: `before ${name}` });
    // On a busy machine the first request of a process may take too long.
    await before().catch(before);
    network.strike(trouble);
    const first = await deliver();
    let last = first;
    for (let retries = 0; (last === 'error' || last === 'timeout') && retries < 2; retries++) {
      await sleep(overMs(system));
      last = await deliver();
    }
    if (runs > 1) return 'ran twice';
    if (first === 'ran') return 'ok';
    const what = first === 'timeout' ? 'hangs until the timeout' : first;
    return runs === 1 ? `${what}, then its retry runs` : `${what}, and the tick never runs`;
  } finally {
    host.kill();
    await network.stop();
  }
}

async function overrun(stage: Stage, system: System): Promise<string> {
  const place = { tableName: await stage.freshTable(), leaseMs: LEASE_MS };
  const [one, other] = [await stage.host(system, place), await stage.host(system, place)];
  const name = `overrun ${system.file}`;
  const running = one.order({ do: 'deliver', name, tickMs: TICK_MS, taskMs: OVERRUN_MS });
  running.catch(() => undefined);
  await untilBegun(one);
  while (runsOf(other).length === 0 && endsOf(one).length === 0) {
    await ended(other.order({ do: 'deliver', name, tickMs: NEXT_TICK_MS, taskMs: 0 }), OVERRUN_MS);
    await sleep(250);
  }
  await ended(running, TIME_OUT_MS);
  const [end] = endsOf(one);
  const [next] = runsOf(other);
  one.kill();
  other.kill();
  if (next !== undefined && (end === undefined || next.atMs < end.atMs)) {
    return system.isNoLock ? 'no lock' : 'two at work at once';
  }
  return end?.told === true ? 'ok, if the handler obeys its signal' : 'ok: keeps its lock';
}

async function skewedClock(stage: Stage, system: System): Promise<string> {
  const place = { tableName: await stage.freshTable(), leaseMs: LONG_LEASE_MS };
  const shim = fileURLToPath(new URL('./systems/shifted-date.mjs', import.meta.url));
  const one = await stage.host(system, place);
  const other = await stage.host(system, place, { SHIFT_MS: String(SKEW_MS) }, shim);
  const order = { do: 'deliver', name: `skewed ${system.file}`, tickMs: TICK_MS } as const;
  const running = one.order({ ...order, taskMs: 4_000 });
  running.catch(() => undefined);
  await untilBegun(one);
  await ended(other.order({ ...order, taskMs: 0 }), 3_000);
  await ended(running, TIME_OUT_MS);
  const runs = runsOf(other).length;
  one.kill();
  other.kill();
  return runs === 0 ? 'ok' : 'two at work at once';
}

async function lateDuplicate(stage: Stage, system: System): Promise<string> {
  const host = await stage.host(system, { tableName: await stage.freshTable(), leaseMs: LONG_LEASE_MS });
  const order = { do: 'deliver', name: `late ${system.file}`, tickMs: TICK_MS, taskMs: 0 } as const;
  await host.order(order);
  await sleep(500);
  await ended(host.order(order), TIME_OUT_MS);
  const runs = runsOf(host).length;
  host.kill();
  return runs === 1 ? 'ok' : 'ran twice';
}

interface Sign {
  readonly atMs: number;
  readonly told?: boolean;
}

const signs = (host: Host, said: string): readonly Sign[] =>
  host.said().flatMap((line) => (line['said'] === said ? [line as unknown as Sign] : []));
const endsOf = (host: Host) => signs(host, 'ended');
const runsOf = (host: Host) => signs(host, 'began');

async function untilBegun(host: Host): Promise<void> {
  while (signs(host, 'began').length === 0) await sleep(10);
}

/** Waits until a delivery ends. Resolves to its outcome, to `error` if it rejected, or to `timeout`. */
async function ended(asked: ReturnType<Host['order']>, timeOutMs: number): Promise<string> {
  const timeOut = sleep(timeOutMs, 'timeout', { ref: false });
  return Promise.race([
    asked.then(
      ({ outcome }) => String(outcome),
      () => 'error',
    ),
    timeOut,
  ]);
}

/** Starts a proxy to a system's server, which can lose one answer. */
async function networkOf(stage: Stage, { engine }: System) {
  if (engine === 'DynamoDB') {
    const proxy = await startFaultProxy(stage.urls.DynamoDB);
    return {
      url: proxy.endpoint,
      strike: (trouble: Trouble) =>
        proxy.inject(
          { kind: trouble === 'lost answer' ? 'reset' : 'hang', at: 'after' },
          { when: ({ operation }) => operation === 'PutItem' || operation === 'UpdateItem' },
        ),
      stop: () => proxy.stop(),
    };
  }
  if (engine === 'Upstash') {
    const bridge = await startUpstashBridge({ redisPort: stage.redisPort });
    return {
      url: bridge.url,
      strike: (trouble: Trouble) => bridge.inject(trouble === 'lost answer' ? 'drop-response' : 'hang-after'),
      stop: () => bridge.stop(),
    };
  }
  let fault: TcpFault | undefined;
  const proxy = await startTcpFaultProxy(stage.redisPort, (request) => {
    if (!/\r\n(set|eval|evalsha)\r\n/i.test(request)) return undefined;
    const struck = fault;
    fault = undefined;
    return struck;
  });
  return {
    url: `redis://127.0.0.1:${proxy.port}`,
    strike: (trouble: Trouble) => {
      fault = trouble === 'lost answer' ? 'drop-response' : { keepBackMs: 600_000 };
    },
    stop: () => proxy.stop(),
  };
}
