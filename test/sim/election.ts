import { createLeaderElection, type LeaderElection, type Leadership } from 'single-execution/leader';
import type { Random } from '../support/play/random.js';
import { type Host, sleep } from './host.js';
import { LOCK } from './lock-server.js';
import { befall, GUARD_MS, START, type World } from './world.js';

const LASTS_MS = 20_000;
/** Longer than a leader that ignores its signal goes on. */
const STOPPED_WITHIN_MS = 70_000;

/** Plays a candidate on each host. Some candidates step down and stand again, and some leaders ignore their signal. */
export async function playElection(world: World): Promise<void> {
  const { regime, store, chance, time, net, server, book, breaks, hosts } = world;
  const elect = breaks.elect?.(createLeaderElection) ?? createLeaderElection;
  const lease = chance.pick([2_000, 4_000, 6_000]);
  const elections = new Map<Host, LeaderElection>();
  const stopping = new Set<Host>();
  let terms = 0;
  // Do not ask an election on a dead host: the question itself wakes it.
  const leaders = () => [...elections].flatMap(([on, election]) => (on.isUp() ? [election.term ?? []].flat() : []));

  const lead = async (on: Host, { term, signal, assertLeader }: Leadership, c: Random): Promise<void> => {
    terms++;
    const isDeaf = c.chance(0.05);
    const others = leaders().filter((other) => other !== term && !book.isForced(other));
    // While a leader is suspended its clocks stand still, so it cannot know that its term is over.
    if (others.length > 0 && !regime.suspends) book.violation('I1', `${term} began to lead while ${others} did`);
    const run = book.start({ host: on, token: term, tick: undefined, isCatchUp: false, signal, isDeaf });
    try {
      for (let steps = c.whole(1, 40); steps > 0; steps--) {
        await sleep(on, c.pick([5, 80, 400, 1_500]), isDeaf ? undefined : signal);
        if (!isDeaf) (steps % 2 === 0 ? assertLeader : () => signal.throwIfAborted())();
        book.write(run);
      }
      if (c.chance(0.5)) throw new Error('the work failed');
    } finally {
      book.end(run);
    }
  };
  const stand = (on: Host) => {
    const c = chance.fork(`candidate ${on.name}`);
    const caller = book.caller(on);
    const election = elect({
      name: LOCK,
      store: caller.asks(server.storeOf(on)),
      candidate: on.name,
      lease,
      retryEvery: lease / 2,
      clock: on.clock,
      observers: [caller.onEvent],
      onStarted: (leadership) => lead(on, leadership, c.fork(String(leadership.term))),
    });
    elections.set(on, election);
    election.start();
  };
  const stop = async (on: Host): Promise<void> => {
    book.tell(`${on.name} steps down`);
    stopping.add(on);
    await elections.get(on)?.stop();
    stopping.delete(on);
    if (elections.get(on)?.isLeader()) book.violation('I1', `${on.name} leads after it has stopped`);
  };

  for (const on of hosts) time.after(chance.whole(0, 5_000), () => on.isUp() && stand(on));
  for (const on of chance.shuffled(hosts).slice(0, chance.pick([0, 1, 2]))) {
    time.after(chance.whole(5_000, LASTS_MS), () => on.isUp() && stop(on).then(() => elections.get(on)?.start()));
  }
  befall(world, LASTS_MS, stand);
  await time.runUntil(START + LASTS_MS);

  // When all is well again somebody leads, and the list has every living candidate.
  net.clearUp();
  // On DynamoDB a candidate cannot keep the lead if its clock is behind by a whole lease.
  if (hosts.some((on) => elections.has(on) && (store === 'redis' || on.aheadMs() >= GUARD_MS - lease))) {
    const blockedUntil = time.now() + longestBlockMs(world, lease);
    const before = terms;
    const isLed = () => leaders().length > 0 || terms > before;
    while (!isLed() && time.now() < blockedUntil) await time.runUntil(time.now() + 1_000);
    if (!isLed()) book.violation('I6', 'nobody leads when all is well');
  }
  await time.runUntil(time.now() + regime.pauseMs + 2 * lease + 3_000);
  // On DynamoDB the clocks of the candidates decide who counts as alive.
  if (regime.skewMs <= 5) await expectMembers(world, elections);

  for (const on of hosts) void stop(on);
  await time.runUntil(time.now() + STOPPED_WITHIN_MS);
  for (const on of stopping) if (on.isUp()) book.violation('I10', `${on.name} has not stopped`);
}

/** If the last request of a candidate and its cancel are lost, it asks again within this time. */
const UNANSWERED_MS = 10_000;

/**
 * The longest time without a leader. A dead leader blocks for its lease, 3 s, and the time its clock was ahead. A pause
 * by an operator blocks for the difference of two clocks.
 */
function longestBlockMs({ regime, store, born }: World, leaseMs: number): number {
  // On Redis the clocks of hosts matter only in a pause by an operator.
  if (store === 'redis' && !regime.operators) return leaseMs + 3_000 + regime.pauseMs + UNANSWERED_MS;
  const aheadMs = regime.steps ? 10 * regime.skewMs : Math.max(0, ...born.map((on) => on.aheadMs()));
  return leaseMs + 3_000 + aheadMs + regime.pauseMs + UNANSWERED_MS;
}

async function expectMembers({ hosts, time, book }: World, elections: Map<Host, LeaderElection>): Promise<void> {
  const standing = hosts.filter((on) => elections.has(on));
  let alive: string[] = [];
  const asked = standing[0] && elections.get(standing[0]);
  asked?.members().then((members) => {
    alive = members.filter((member) => member.alive).map(({ name }) => name);
  });
  await time.runUntil(time.now() + 1_000);
  const names = standing.map((on) => on.name);
  if (alive.sort().join() !== names.sort().join()) book.violation('I6', `${alive} check in, and ${names} stand`);
}
