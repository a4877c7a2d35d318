import { Duration } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { SingleExecutionFunctionProps } from 'single-execution/cdk';
import { AlarmScene, type Chance } from './alarm-scene.js';
import { digest, nightly } from './digest.js';
import { appStack, templateOf } from './synthesised.js';

/** What happens to a job, and which of its alarms go off: `once`, or `once, stays` if the alarm does not end. */
export interface Situation {
  readonly what: string;
  readonly job: Partial<SingleExecutionFunctionProps>;
  /** How many days are played. The job is first deployed on Monday at 10:00. */
  readonly days: number;
  /** How late CloudWatch shows a metric, for situations that depend on it. */
  readonly delayMinutes?: number;
  readonly happens: (scene: AlarmScene) => void;
  readonly rings: Readonly<Record<string, string>>;
}

const HOUR = 60;
const DAY = 24 * HOUR;
const MONDAY = Date.parse('2026-01-05T00:00:00Z') / 60_000;
const DEPLOYED = MONDAY + 10 * HOUR;
const TUESDAY_AT_11 = MONDAY + DAY + 11 * HOUR;

/** 02:00 of the nth night. */
const night = (n: number): number => MONDAY + n * DAY + 2 * HOUR;
const morning = (n: number): number => MONDAY + n * DAY + 9 * HOUR;

const nightlyJob = { schedules: [{ schedule: nightly }], timeout: Duration.minutes(5) };
const every5Minutes = {
  schedules: [{ schedule: ScheduleExpression.rate(Duration.minutes(5)) }],
  timeout: Duration.minutes(10),
};
const workingHours = {
  schedules: [{ schedule: ScheduleExpression.expression('cron(0/5 8-17 ? * MON-FRI *)') }],
  timeout: Duration.minutes(1),
};

const wellEach = (scene: AlarmScene, nights: readonly number[]): void => {
  for (const n of nights) scene.tick(night(n), { minutes: 3 });
};

/** The ticks of {@link workingHours}, from the deployment to a minute. */
function workingTicks(to: number): number[] {
  const minutes = Array.from({ length: (to - DEPLOYED) / 5 }, (_, n) => DEPLOYED + 5 * n);
  return minutes.filter((minute) => {
    const at = new Date(minute * 60_000);
    return at.getUTCDay() % 6 !== 0 && at.getUTCHours() >= 8 && at.getUTCHours() <= 17;
  });
}

/** A situation of the nightly job over some days. */
const over = (days: number, what: string, rings: Situation['rings'], happens: Situation['happens']): Situation => ({
  what,
  job: nightlyJob,
  days,
  happens,
  rings,
});

/** A situation in one night, between two nights that go well. */
function inOneNight(
  what: string,
  rings: Situation['rings'],
  happens: (scene: AlarmScene, at: number) => void,
  job: Situation['job'] = nightlyJob,
): Situation {
  const play: Situation['happens'] = (scene) => {
    wellEach(scene, [1, 3]);
    happens(scene, night(2));
  };
  return { ...over(3, what, rings, play), job };
}

/** Scheduler delivers a tick every minute for 185 minutes, and Lambda refuses each delivery. */
function refused(scene: AlarmScene, at: number): void {
  for (let minute = 0; minute < 185; minute += 1) scene.attempted(at + minute);
}

/** Other calls of the function, not from the schedule and without the lock. */
function others(scene: AlarmScene, count: number): void {
  for (let n = 1; n < count; n += 1) scene.ran(night(1) + 37 * n, { result: 'unobserved' });
}

/** A tick fails that is not tried again. */
const failsOnce = (scene: AlarmScene, at: number) => scene.tick(at, { minutes: 1, result: 'failed' });
const atMostOnce = { ...nightlyJob, retryAttempts: 0 };

export const SITUATIONS: readonly Situation[] = [
  over(3, 'all well', {}, (scene) => wellEach(scene, [1, 2, 3])),
  over(1, 'first deployment at 10:00, first tick at 02:00', {}, (scene) => wellEach(scene, [1])),
  inOneNight('a tick fails, its retry succeeds', { Failed: 'once' }, (scene, at) => {
    failsOnce(scene, at);
    scene.ran(at + 2, { minutes: 3 });
  }),
  inOneNight('a tick fails, its retries are used up', { DeadLetters: 'once', Failed: 'once' }, (scene, at) => {
    scene.attempted(at);
    for (const minute of [0, 2, 5]) scene.ran(at + minute, { minutes: 1, result: 'failed' });
    scene.deadLetter(at + 6, morning(2));
  }),
  inOneNight(
    'a tick is killed at its timeout, three times',
    { DeadLetters: 'once', Failed: 'once', LongRun: 'once' },
    (scene, at) => {
      scene.attempted(at);
      for (const minute of [0, 6, 13]) scene.ran(at + minute, { minutes: 5, result: 'hung' });
      scene.deadLetter(at + 18, morning(2));
    },
  ),
  inOneNight(
    'at most once (`retryAttempts: 0`): a tick fails',
    { DeadLetters: 'once' },
    (scene, at) => {
      failsOnce(scene, at);
      scene.deadLetter(at + 2, morning(2));
    },
    atMostOnce,
  ),
  inOneNight(
    'the same, and Lambda cannot send the failed run to the queue',
    { DeadLettersLost: 'once' },
    (scene, at) => {
      failsOnce(scene, at);
      scene.lostRun(at + 2);
    },
    atMostOnce,
  ),
  over(4, 'the lock is paused for two nights', { DidNotRun: 'once' }, (scene) => {
    wellEach(scene, [1, 4]);
    for (const n of [2, 3]) scene.tick(night(n), { result: 'paused' });
  }),
  over(6, 'the schedule is off for three days', { NotTriggered: 'once' }, (scene) => wellEach(scene, [1, 2, 6])),
  over(
    2,
    'the function fails at its start since it was deployed',
    { DeadLetters: 'once, stays', Failed: 'twice' },
    (scene) => {
      for (const n of [1, 2]) {
        scene.attempted(night(n));
        for (const minute of [0, 1, 3]) scene.ran(night(n) + minute, { result: 'hung' });
      }
      scene.deadLetter(night(1) + 4, MONDAY + 10 * DAY);
    },
  ),
  over(2, 'the handler was deployed without the wrapper', { DidNotRun: 'once, stays' }, (scene) => {
    for (const n of [1, 2]) scene.tick(night(n), { result: 'unobserved' });
  }),
  inOneNight(
    'Lambda refuses the deliveries of a tick, until they are given up',
    { DidNotRun: 'once', DeadLetters: 'once' },
    (scene, at) => {
      refused(scene, at);
      scene.deadLetter(at + 185, morning(2));
    },
  ),
  inOneNight(
    'a dead letter of a schedule cannot be sent to the queue',
    { DidNotRun: 'once', DeadLettersLost: 'once' },
    (scene, at) => {
      refused(scene, at);
      scene.lostDeadLetter(at + 185);
    },
  ),
  inOneNight('a duplicate comes twelve hours late', {}, (scene, at) => {
    scene.tick(at, { minutes: 3 });
    scene.tick(at + 12 * HOUR, { result: 'already-executed' });
  }),
  inOneNight('others invoke the function too, without the lock', {}, (scene, at) => {
    scene.tick(at, { minutes: 3 });
    others(scene, 50);
  }),
  over(5, 'the same, and the schedule is off for two nights', { NotTriggered: 'once' }, (scene) => {
    wellEach(scene, [1, 4, 5]);
    others(scene, 100);
  }),
  {
    ...over(1, 'every minute, and CloudWatch shows everything 4 minutes late', {}, (scene) => {
      for (let minute = DEPLOYED; minute < DEPLOYED + DAY; minute += 1) scene.tick(minute);
    }),
    job: { schedules: [{ schedule: ScheduleExpression.rate(Duration.minutes(1)) }], timeout: Duration.seconds(20) },
    delayMinutes: 4,
  },
  inOneNight('another region does the tick, this one skips it as `locked`', { DidNotRun: 'once' }, (scene, at) =>
    scene.tick(at, { result: 'locked' }),
  ),
  {
    ...over(8, '`cron(0/5 8-17 ? * MON-FRI *)`: nights and a weekend', {}, (scene) => {
      for (const minute of workingTicks(DEPLOYED + 8 * DAY)) scene.tick(minute);
    }),
    job: workingHours,
  },
  {
    what: 'the same: on Tuesday at 11:00 its runs stop, its ticks do not, until 12:00',
    job: workingHours,
    days: 3,
    happens(scene) {
      for (const minute of workingTicks(DEPLOYED + 3 * DAY)) {
        const isDown = minute >= TUESDAY_AT_11 && minute < TUESDAY_AT_11 + HOUR;
        if (isDown) scene.attempted(minute);
        else scene.tick(minute);
      }
    },
    rings: { DidNotRun: 'once' },
  },
  {
    ...over(6, 'the same: on Tuesday at 11:00 its schedule is deleted', { NotTriggered: 'once, stays' }, (scene) => {
      for (const minute of workingTicks(TUESDAY_AT_11)) scene.tick(minute);
    }),
    job: workingHours,
  },
  {
    ...over(1, 'every 5 minutes: a run takes 7, the next tick is skipped as `locked`', {}, (scene) => {
      const long = DEPLOYED + 5 * HOUR;
      for (let minute = DEPLOYED; minute < DEPLOYED + DAY; minute += 5) {
        scene.tick(minute, minute === long ? { minutes: 7 } : minute === long + 5 ? { result: 'locked' } : {});
      }
    }),
    job: every5Minutes,
  },
  inOneNight('a run takes over 90 % of its timeout', { LongRun: 'once' }, (scene, at) =>
    scene.tick(at, { minutes: 4.8 }),
  ),
  inOneNight('a run loses its lock', { LockLost: 'once' }, (scene, at) =>
    scene.tick(at, { minutes: 4, told: { type: 'lost', fencingToken: 5 } }),
  ),
  inOneNight("a host's clock is off", { ClockSkew: 'once' }, (scene, at) =>
    scene.tick(at, { minutes: 4, told: { type: 'clock-skew', minMs: 2_000, maxMs: 3_000 } }),
  ),
];

const templates = new Map<Situation['job'], Template>();

function templateFor(job: Situation['job']): Template {
  const known = templates.get(job);
  if (known) return known;
  const stack = appStack();
  const [page = [], ticket = []] = ['Page', 'Ticket'].map((id) => [new SnsAction(new Topic(stack, id))]);
  const template = templateOf(digest({ ...job, alarms: { page, ticket, ...job.alarms } }, stack).stack);
  templates.set(job, template);
  return template;
}

/** Synthesises a stack for a situation, and plays the situation with the stack's alarms. */
export function playSituation({ job, days, delayMinutes, happens }: Situation, chance: Chance): AlarmScene {
  const scene = new AlarmScene(templateFor(job), { ...chance, ...(delayMinutes !== undefined && { delayMinutes }) });
  happens(scene);
  scene.play(DEPLOYED, DEPLOYED + days * DAY);
  return scene;
}
