import type { ExtendResult } from 'single-execution';
import { createLeaderElection } from 'single-execution/leader';
import { manualClock } from 'single-execution/testing';
import { expectSame } from '../../src/testing/contract/stage/expectation.js';
import { setScene } from '../../src/testing/contract/stage/scene.js';
import { gate } from '../support/gate.js';
import { ENDED, FREED, HELD, ofContract } from './on-scene.js';
import type { Ground, Scenario } from './scenario.js';

const ONE_OBJECT = 'In Kubernetes a lock can move from one kind of record to another. Here there is only one kind.';

/** What client-go's tests expect of its leader election, in our words. A leader's lease is the lease of a lock. */
export const CLIENT_GO: readonly Scenario[] = [
  ...ofContract({
    'takes the lead where there is no record': ['acquire grants a name that was never used'],
    'takes the lead from a record that names no leader yet': [
      'resume of a name paused before its first run leaves a record',
      'a name paused before its first run begins like any other',
    ],
    'takes the lead that was given back': [FREED],
    'takes the lead from a leader that was seen and has not renewed for the duration of its lease': [ENDED],
    'takes the lead from a record whose leader was taken out': ['row 53: a forced lock is free at once'],
    'does not take the lead from a leader whose lease lasts': [HELD],
    'the leader renews its lease and stays in its term': ['an extension keeps the fencing token'],
    'a leader that steps down leaves no leader': ['F52 a release keeps the record and writes how the run ended', FREED],
  }),
  {
    name: 'a leader that is stopped while its renewal is under way gives the lead back',
    async play(ground) {
      const { name, grant } = setScene({ ...ground.harness(), store: ground.store });
      const counts = await stoppedInRenewal(ground, name);
      expectSame(counts.join(), '1,1', 'terms begun and ended');
      await grant();
    },
  },
  {
    name: 'a leader that is stopped while it reads the record gives the lead back',
    differs: 'A renewal here is one conditional write, with no read before it.',
  },
  { name: 'a lease read from its record and written again is the same', differs: ONE_OBJECT },
  { name: 'the election over two kinds of records at once (two tables of cases)', differs: ONE_OBJECT },
];

/** Stops a leader during its first renewal, which then fails. @returns how many terms began, and how many ended */
async function stoppedInRenewal({ store }: Ground, name: string): Promise<readonly [number, number]> {
  const [begun, renewing, cancelled] = [gate(), gate(), gate()];
  const clock = manualClock(Date.now());
  const counts: [number, number] = [0, 0];
  const election = createLeaderElection({
    name,
    lease: '1m',
    clock,
    store: {
      ...store,
      async extend(): Promise<ExtendResult> {
        renewing.open();
        await cancelled.opened;
        throw new Error('cancelled');
      },
    },
    onStarted: () => {
      counts[0]++;
      begun.open();
    },
    onStopped: () => {
      counts[1]++;
    },
    observers: [],
  });
  election.start();
  await begun.opened;
  await clock.advance(20_000);
  await renewing.opened;
  const stopped = election.stop();
  cancelled.open();
  await stopped;
  return counts;
}
