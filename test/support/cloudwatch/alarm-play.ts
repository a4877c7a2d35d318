import { resolved } from '../synthesised-app.js';
import { type AlarmRule, type AlarmState, alarmState, type MissingData } from './alarm-state.js';
import { metricMath } from './metric-math.js';
import type { Dimension, MetricQuery, Metrics, Series } from './series.js';

/** The properties of an alarm in a template, its references resolved to logical ids. */
interface AlarmProperties {
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Dimensions?: readonly Dimension[];
  readonly Statistic?: string;
  readonly Period?: number;
  readonly Metrics?: readonly MetricEntry[];
  readonly ComparisonOperator: string;
  readonly Threshold: number;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm?: number;
  readonly TreatMissingData?: MissingData;
  readonly AlarmActions?: readonly string[];
  readonly OKActions?: readonly string[];
}

interface MetricEntry {
  readonly Id: string;
  readonly Expression?: string;
  readonly ReturnData?: boolean;
  readonly MetricStat?: {
    readonly Metric: { readonly Namespace: string; readonly MetricName: string; readonly Dimensions?: Dimension[] };
    readonly Period: number;
    readonly Stat: string;
  };
}

/** What CloudWatch may do in one way or another: how much it fetches beyond the evaluation periods. */
export interface Fetching {
  readonly extraPeriods: number;
}

/** A change of an alarm's state, and who was told of it. */
export interface Change {
  readonly minute: number;
  readonly state: AlarmState;
  readonly told: readonly string[];
}

const DAY_MINUTES = 1_440;

/** An alarm as a template has it, in the state in which CloudWatch makes it. */
export class PlayedAlarm {
  readonly changes: Change[] = [];
  state: AlarmState = 'INSUFFICIENT_DATA';
  readonly #properties: AlarmProperties;
  readonly #rule: AlarmRule;
  readonly #extraPeriods: number;

  constructor(properties: unknown, { extraPeriods }: Fetching) {
    const alarm = resolved(properties, (id) => id) as AlarmProperties;
    this.#properties = alarm;
    this.#extraPeriods = extraPeriods;
    this.#rule = {
      evaluationPeriods: alarm.EvaluationPeriods,
      datapointsToAlarm: alarm.DatapointsToAlarm ?? alarm.EvaluationPeriods,
      treatMissingData: alarm.TreatMissingData ?? 'missing',
      isBreaching: breaches(alarm.ComparisonOperator, alarm.Threshold),
    };
  }

  /** CloudWatch looks at an alarm once a minute, and once an hour where its periods are longer than a day together. */
  evaluate(metrics: Metrics, minute: number): void {
    const { EvaluationPeriods } = this.#properties;
    if (EvaluationPeriods * this.#periodMinutes() > DAY_MINUTES && minute % 60 !== 0) return;
    const state = alarmState(this.#series(metrics, minute), this.#rule, this.state);
    if (state === this.state) return;
    this.state = state;
    this.changes.push({ minute, state, told: this.#toldOf(state) });
  }

  #toldOf(state: AlarmState): readonly string[] {
    const { AlarmActions = [], OKActions = [] } = this.#properties;
    return state === 'ALARM' ? AlarmActions : state === 'OK' ? OKActions : [];
  }

  #periodMinutes(): number {
    const { Period, Metrics: entries = [] } = this.#properties;
    const periods = [Period, ...entries.map(({ MetricStat }) => MetricStat?.Period)].filter((it) => it !== undefined);
    if (new Set(periods).size !== 1) throw new TypeError(`the metrics of an alarm have periods of ${periods}`);
    return Number(periods[0]) / 60;
  }

  #series(metrics: Metrics, minute: number): Series {
    const { Namespace = '', MetricName = '', Dimensions = [], Statistic = '', Metrics: entries } = this.#properties;
    const periodMinutes = this.#periodMinutes();
    const length = this.#rule.evaluationPeriods + this.#extraPeriods;
    const fetch = (query: Omit<MetricQuery, 'periodMinutes'>) =>
      metrics.seriesOf({ ...query, periodMinutes }, length, minute);
    if (!entries)
      return fetch({ namespace: Namespace, name: MetricName, dimensions: Dimensions, statistic: Statistic });
    const series: Record<string, Series> = Object.fromEntries(
      entries.flatMap(({ Id, MetricStat: it }) =>
        it ? [[Id, fetch({ ...named(it.Metric), statistic: it.Stat })] as const] : [],
      ),
    );
    const startMinute = minute - length * periodMinutes;
    // An expression that another one uses is listed after it.
    for (const { Id, Expression } of entries.toReversed()) {
      if (Expression !== undefined) series[Id] = metricMath(Expression, { series, length, startMinute, periodMinutes });
    }
    const [returned, ...others] = entries.filter(({ ReturnData }) => ReturnData !== false);
    if (returned === undefined || others.length > 0) throw new TypeError('an alarm watches one series');
    return series[returned.Id] ?? [];
  }
}

const named = ({ Namespace, MetricName, Dimensions = [] }: NonNullable<MetricEntry['MetricStat']>['Metric']) => ({
  namespace: Namespace,
  name: MetricName,
  dimensions: Dimensions,
});

function breaches(operator: string, threshold: number): (value: number) => boolean {
  switch (operator) {
    case 'GreaterThanOrEqualToThreshold':
      return (value) => value >= threshold;
    case 'LessThanThreshold':
      return (value) => value < threshold;
    default:
      throw new TypeError(`${operator} is not played here`);
  }
}
