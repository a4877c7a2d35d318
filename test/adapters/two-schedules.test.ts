import { randomUUID } from 'node:crypto';
import { type LockEvent, withSingleExecution } from 'single-execution';
import { lambdaContext, schedulerEvent } from 'single-execution/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { jsonLogObserver } from '../../src/observe/observe.js';
import { type BackendStage, startBackends } from '../support/backends/stage.js';
import { KINDS } from '../support/backends.js';
import { gate } from '../support/gate.js';

/* Row 161: two schedules with different inputs call one function in the same minute, so both calls have one tick. */

const TICK = '2026-11-20T02:00:00Z';
const arn = (schedule: string) => `arn:aws:scheduler:eu-west-1:123456789012:schedule/default/${schedule}`;
const from = (schedule: string) => schedulerEvent({ scheduledTime: TICK, scheduleArn: arn(schedule) });

let stage: BackendStage;
beforeAll(async () => {
  stage = await startBackends(...KINDS);
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => stage.stop());

describe.each(KINDS)('row 161: on %s', (kind) => {
  function job(task: () => Promise<unknown> = async () => 'done') {
    const skips: LockEvent[] = [];
    const tracing = Object.assign((event: LockEvent) => event.type === 'skipped' && void skips.push(event), {
      beginTrace: () => '.trace',
    });
    const handler = withSingleExecution(task, {
      name: `job-${randomUUID()}`,
      store: stage.on(kind).store,
      observers: [tracing, jsonLogObserver()],
    });
    return { skips, call: (event: unknown) => handler(event, lambdaContext()) };
  }

  test('row 161: the skipped call of the other schedule is a warning that names its schedule', async () => {
    const written = [vi.spyOn(console, 'warn').mockReturnValue(), vi.spyOn(console, 'info').mockReturnValue()];
    const { call, skips } = job();

    expect(await call(from('weekly'))).toBe('done');
    expect(await call(from('daily'))).toMatchObject({ reason: 'already-executed' });
    expect(await call(from('weekly'))).toMatchObject({ reason: 'already-executed' });
    expect(await call({ source: 'aws.scheduler', time: TICK })).toMatchObject({ reason: 'already-executed' });

    expect(skips).toMatchObject([{ scheduleArn: arn('daily') }, {}, {}]);
    expect(
      skips.map((skip) => [Object.hasOwn(skip, 'scheduleArn'), 'holderTrace' in skip && skip.holderTrace]),
    ).toEqual([
      [true, 'trace'],
      [false, 'trace'],
      [false, 'trace'],
    ]);
    const [warnings, notes] = written.map(({ mock }) =>
      mock.calls.map(([line]) => JSON.parse(String(line)).message).filter((message) => message.includes('skipped')),
    );
    expect(warnings).toEqual([
      expect.stringMatching(/skipped, this tick is done, and the last run came from another schedule$/),
    ]);
    expect(notes).toEqual(Array(2).fill(expect.stringMatching(/skipped, this tick is done$/)));
  });

  test('row 161: so is one that comes while the first still runs, and nothing is said if no schedule is known', async () => {
    vi.spyOn(console, 'info').mockReturnValue();
    const [begun, ended] = [gate(), gate()];
    const { call, skips } = job(async () => {
      begun.open();
      await ended.opened;
    });
    const running = call(from('weekly'));
    await begun.opened;
    expect(await call(from('daily'))).toMatchObject({ reason: 'locked' });
    ended.open();
    await running;
    expect(skips).toMatchObject([{ reason: 'locked', scheduleArn: arn('daily') }]);

    const unnamed = job();
    await unnamed.call({ source: 'aws.scheduler', time: TICK });
    await unnamed.call(from('daily'));
    expect(unnamed.skips).toHaveLength(1);
    expect(unnamed.skips[0]).not.toHaveProperty('scheduleArn');
  });
});
