import { lockAdmin } from 'single-execution/admin';
import type { Random } from '../support/play/random.js';
import type { Breaks, Stored } from './broken.js';
import { dynamoDBServer } from './dynamodb-server.js';
import { type Host, host } from './host.js';
import { type Ledger, ledger, type StoreKind } from './ledger.js';
import { LOCK, type LockServer } from './lock-server.js';
import { type Doubled, type Network, network } from './network.js';
import { redisServer } from './redis-server.js';
import { type Regime, weather } from './regime.js';
import { sqlServer } from './sql-server.js';
import type { TickRules } from './tick-book.js';
import { type Timeline, timeline } from './timeline.js';

export const START: number = Date.UTC(2026, 0, 1);
/** The time that a holder keeps in reserve before its lease ends, and the time that messages take when all is well. */
export const GUARD_MS = 1_000;
const PLACES = 4;

/** Who doubles requests on each store. Databases are reached over connections and over HTTP. */
const DOUBLED: Readonly<Record<StoreKind, (chance: Random) => Doubled>> = {
  dynamodb: () => 'by the network',
  redis: () => 'by the client',
  sql: (chance) => chance.pick(['by the network', 'by the client']),
};

/** A few hosts, a bad network, and a lock server with one lock. */
export interface World {
  readonly regime: Regime;
  readonly store: StoreKind;
  readonly chance: Random;
  readonly time: Timeline;
  readonly net: Network;
  readonly server: LockServer;
  readonly book: Ledger;
  /** What the bug of this world breaks, if it has one. */
  readonly breaks: Breaks;
  /** The current hosts, one for each place. */
  readonly hosts: readonly Host[];
  /** All hosts so far, the crashed ones included. */
  readonly born: readonly Host[];
  /** Turns the power of a host off, and starts another host in its place. */
  crash(place: number): Host;
}

/** What is different from a plain world: somebody listens, or there is a bug. */
export interface Watched {
  /** Receives a line for each thing that happens. */
  readonly tell?: ((line: string) => void) | undefined;
  /** The bug, if there is one. */
  readonly breaks?: Breaks | undefined;
}

export function world(
  regime: Regime,
  store: StoreKind,
  rules: TickRules,
  chance: Random,
  { tell, breaks = {} }: Watched = {},
): World {
  const time = timeline(START);
  const net = network(time, chance.fork('network'), weather(chance), DOUBLED[store](chance.fork('doubled')));
  const book = ledger({
    regime,
    store,
    rules,
    now: time.now,
    tell: tell && ((line) => tell(`${Math.round(time.now() - START)} ms: ${line}`)),
  });
  const servers: Readonly<Record<StoreKind, () => LockServer>> = {
    dynamodb: () => dynamoDBServer(time, chance.fork('server'), regime, net, book.onApplied, breaks),
    redis: () => redisServer(time, net, chance.fork('clients'), book.onApplied, breaks),
    sql: () => sqlServer(time, net, book.onApplied, breaks),
  };
  const server = servers[store]();

  const born: Host[] = [];
  const boot = (): Host => {
    const name = `host ${born.length}`;
    const c = chance.fork(name);
    const aheadMs = c.whole(-regime.skewMs, regime.skewMs);
    const booted = host(name, time, { aheadMs, rate: 1 + (c.whole(-100, 100) / 100) * regime.drift });
    born.push(booted);
    return booted;
  };
  const hosts = Array.from({ length: PLACES }, boot);

  return {
    regime,
    store,
    chance,
    time,
    net,
    server: {
      item: server.item,
      storeOf(host) {
        const place = { host, item: () => (server.item() ?? {}) as Stored, now: time.now, after: time.after };
        return breaks.store?.(server.storeOf(host), place) ?? server.storeOf(host);
      },
      adminOf: (host) => breaks.admin?.(server.adminOf(host)) ?? server.adminOf(host),
    },
    breaks,
    book,
    hosts,
    born,
    crash(place) {
      const dead = hosts[place];
      dead?.crash();
      if (dead) book.crashes(dead);
      const next = boot();
      hosts[place] = next;
      return next;
    },
  };
}

/** Plans crashes, pauses, changes of clocks and actions of operators within `lastsMs`. */
export function befall(world: World, lastsMs: number, onBoot: (on: Host) => void = () => {}): void {
  const { regime, chance, time, hosts, book } = world;
  const some = (times: number, what: string, happen: (on: Host) => void) => {
    for (let n = 0; n < times; n++) {
      time.after(chance.whole(0, lastsMs), () => {
        const on = chance.pick(hosts);
        book.tell(`${on.name} ${what}`);
        happen(on);
      });
    }
  };
  for (let n = chance.pick([0, 1, 3]); n > 0; n--) {
    time.after(chance.whole(0, lastsMs), () => onBoot(world.crash(chance.whole(0, PLACES - 1))));
  }
  const { suspends, pauseMs } = regime;
  if (pauseMs > 0) {
    some(4, suspends ? 'is suspended' : 'pauses', (on) => {
      const ms = chance.whole(100, pauseMs);
      on[suspends ? 'suspend' : 'pause'](ms);
      book.standsStill(on, ms, suspends);
    });
  }
  if (regime.steps) some(4, 'has its clock set', (on) => on.stepWall(chance.whole(-regime.skewMs, regime.skewMs)));
  if (regime.operators) some(1, 'has an operator', (on) => operate(world, on));
}

/** Frees the lock by force, pauses it for a while, and deletes it. */
function operate({ server, time, book, chance }: World, on: Host): void {
  const admin = lockAdmin(server.adminOf(on), { clock: on.clock });
  const fencingToken = Number(server.item()?.['fencingToken'] ?? 0);
  book.mayBeForced(fencingToken);
  admin.forceRelease(LOCK, { fencingToken }).catch(() => undefined);
  time.after(5_000, () => {
    admin.pause(LOCK, { until: Math.round(on.clock.now()) + 4_000 }).catch(() => undefined);
  });
  time.after(12_000, () => {
    const seen = Number(server.item()?.['fencingToken'] ?? 0);
    book.mayBeDeleted(seen);
    // Another host may run the job between the look and the delete.
    on.after(chance.pick([0, 0, 5_000]), () => void admin.delete(LOCK, { fencingToken: seen }).catch(() => undefined));
  });
}
