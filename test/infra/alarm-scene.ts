import type { Template } from 'aws-cdk-lib/assertions';
import { vi } from 'vitest';
import { emfWriter } from '../../src/core/observers/emf-writer.js';
import type { EventBody, Observer } from '../../src/core/public/events.js';
import { PlayedAlarm } from './cloudwatch/alarm-play.js';
import { type Dimension, Metrics } from './cloudwatch/series.js';
import { dataIn } from './emf-data.js';

/** What CloudWatch leaves open: how many periods more than needed it fetches, and how late it shows a metric. */
export interface Chance {
  readonly extraPeriods: number;
  readonly delayMinutes: number;
}

interface Run {
  readonly minutes?: number;
  /** `hung` is killed at its timeout, `unobserved` has no wrapper: both write nothing. The last three are skips. */
  readonly result?: 'unobserved' | 'succeeded' | 'failed' | 'hung' | 'locked' | 'paused' | 'already-executed';
  readonly told?: EventBody;
}

const RESULTS: Readonly<Record<string, EventBody>> = {
  succeeded: { type: 'finished', durationMs: 1, release: 'released' },
  failed: { type: 'failed', durationMs: 1, release: 'released', error: new Error('no database') },
  locked: { type: 'skipped', reason: 'locked' },
  paused: { type: 'skipped', reason: 'paused' },
  'already-executed': { type: 'skipped', reason: 'already-executed' },
};
const SIX_HOURS = 360;

/** A function of a synthesised stack, the events that happen to it, and the states of its alarms. Times are minutes. */
export class AlarmScene {
  readonly alarms: Readonly<Record<string, PlayedAlarm>>;
  readonly #metrics = new Metrics();
  readonly #chance: Chance;
  readonly #ids: Readonly<Record<'fn' | 'queue' | 'group', string>>;
  readonly #observer: Observer;
  #written: string[] = [];

  constructor(template: Template, chance: Chance) {
    const idOf = (type: string) => Object.keys(template.findResources(type))[0] ?? '';
    const [[fn = '', resource] = []] = Object.entries(template.findResources('AWS::Lambda::Function'));
    this.#ids = { fn, queue: idOf('AWS::SQS::Queue'), group: idOf('AWS::Scheduler::ScheduleGroup') };
    this.#chance = chance;
    this.alarms = Object.fromEntries(
      Object.entries(template.findResources('AWS::CloudWatch::Alarm')).map(([id, { Properties }]) => [
        /Alarms([A-Z][A-Za-z]*?)(?:digest|[0-9A-F]{8})/.exec(id)?.[1] ?? id,
        new PlayedAlarm(Properties, chance),
      ]),
    );
    const { SINGLE_EXECUTION_NAMESPACE: namespace = '' } = resource?.['Properties'].Environment.Variables ?? {};
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', fn);
    this.#observer = emfWriter({ namespace, sets: [] }, { write: (line) => this.#written.push(line) });
  }

  /** Scheduler tries to invoke the function. */
  attempted(minute: number): void {
    this.#report('AWS/Scheduler', 'InvocationAttemptCount', this.#ofGroup, 1, minute);
  }

  /** Lambda runs the function. It reports a run at its end, for the minute of its start. */
  ran(minute: number, { minutes = 0, result = 'succeeded', told }: Run = {}): void {
    const failed = result === 'failed' || result === 'hung';
    const end = minute + minutes;
    const dimensions = [{ Name: 'FunctionName', Value: this.#ids.fn }];
    const numbers = { Invocations: 1, Errors: failed ? 1 : 0, Duration: Math.max(minutes * 60_000, 100) };
    for (const [name, value] of Object.entries(numbers))
      this.#report('AWS/Lambda', name, dimensions, value, minute, end);
    for (const body of [told, RESULTS[result]]) if (body) this.#write(body, end);
  }

  tick(minute: number, run: Run = {}): void {
    this.attempted(minute);
    this.ran(minute, run);
  }

  /** A message is in the queue until minute `takenOut`. If nobody uses a queue, SQS reports it for six hours only. */
  deadLetter(minute: number, takenOut: number): void {
    const dimensions = [{ Name: 'QueueName', Value: this.#ids.queue }];
    for (let at = minute; at < takenOut + SIX_HOURS; at += 1) {
      const isReported = at < minute + SIX_HOURS || at >= takenOut;
      const value = at < takenOut ? 1 : 0;
      if (isReported) this.#report('AWS/SQS', 'ApproximateNumberOfMessagesVisible', dimensions, value, at);
    }
  }

  /** Scheduler gives up a tick, and cannot send it to the queue. */
  lostDeadLetter(minute: number): void {
    this.#report('AWS/Scheduler', 'InvocationsFailedToBeSentToDeadLetterCount', this.#ofGroup, 1, minute);
  }

  /** Lambda cannot send a failed run to the queue. */
  lostRun(minute: number): void {
    const dimensions = [{ Name: 'FunctionName', Value: this.#ids.fn }];
    this.#report('AWS/Lambda', 'DestinationDeliveryFailures', dimensions, 1, minute);
  }

  play(from: number, to: number): void {
    for (let minute = from; minute <= to; minute += 1) {
      for (const alarm of Object.values(this.alarms)) alarm.evaluate(this.#metrics, minute);
    }
  }

  /** How often each alarm went off: `once`, or `once, stays` if it is still on. Leaves out those that did not. */
  get rings(): Readonly<Record<string, string>> {
    const shown = Object.entries(this.alarms).flatMap(([name, { changes, state }]): [string, string][] => {
      const times = changes.filter((change) => change.state === 'ALARM').length;
      const how = [undefined, 'once', 'twice'][times] ?? `${times} times`;
      return times === 0 ? [] : [[name, `${how}${state === 'ALARM' ? ', stays' : ''}`]];
    });
    return Object.fromEntries(shown);
  }

  get #ofGroup(): readonly Dimension[] {
    return [{ Name: 'ScheduleGroup', Value: this.#ids.group }];
  }

  #write(body: EventBody, minute: number): void {
    this.#written = [];
    this.#observer({ name: 'digest', at: new Date(minute * 60_000), ...body });
    for (const { namespace, metric, dimensions, value } of this.#written.flatMap(dataIn))
      this.#report(namespace, metric, dimensions, value, minute);
  }

  #report(
    namespace: string,
    name: string,
    dimensions: readonly Dimension[],
    value: number,
    minute: number,
    reported = minute,
  ): void {
    const shownFrom = reported + this.#chance.delayMinutes;
    this.#metrics.report({ namespace, name, dimensions }, value, { minute, shownFrom });
  }
}
