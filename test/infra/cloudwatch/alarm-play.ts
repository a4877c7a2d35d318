import { resolved } from '../synthesised-app.js';
import { type AlarmRule, type AlarmState, alarmState, type MissingData } from './alarm-state.js';
import { metricMath } from './metric-math.js';
import { type Dimension, keyOf, type MetricQuery, type Metrics, type Series } from './series.js';

/** The properties of an alarm in a template, with references resolved to logical ids. */
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
  readonly TreatMissingData?: string;
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

/** A choice that CloudWatch may make: how many periods it fetches beyond the evaluation periods. */
export interface Fetching {
  readonly extraPeriods: number;
}

/** A change of an alarm's state, and the actions that it triggered. */
export interface Change {
  readonly minute: number;
  readonly state: AlarmState;
  readonly told: readonly string[];
}

const DAY_MINUTES = 1_440;

/** An alarm with the properties of a template. It begins in the state in which CloudWatch creates an alarm. */
export class PlayedAlarm {
  readonly changes: Change[] = [];
  state: AlarmState = 'INSUFFICIENT_DATA';
  readonly #properties: AlarmProperties;
  readonly #rule: AlarmRule;
  readonly #length: number;
  readonly #periodMinutes: number;
  /** The metrics to fetch, by id. */
  readonly #queries: Readonly<Record<string, MetricQuery>>;
  /**
   * Expressions by id, in the order of evaluation. A template lists an expression before the expressions that it uses.
   */
  readonly #expressions: readonly (readonly [id: string, expression: string])[];
  /** The id of the series that the alarm watches. */
  readonly #watched: string;

  constructor(properties: unknown, { extraPeriods }: Fetching) {
    const alarm = resolved(properties, (id) => id) as AlarmProperties;
    this.#properties = alarm;
    this.#length = alarm.EvaluationPeriods + extraPeriods;
    this.#periodMinutes = periodMinutesOf(alarm);
    const entries = alarm.Metrics ?? [{ Id: ONLY, MetricStat: statOf(alarm) }];
    this.#queries = Object.fromEntries(
      entries.flatMap(({ Id, MetricStat: it }) => (it ? [[Id, queryOf(it, this.#periodMinutes)] as const] : [])),
    );
    this.#expressions = entries
      .toReversed()
      .flatMap(({ Id, Expression }) => (Expression === undefined ? [] : [[Id, Expression] as const]));
    const [returned, ...others] = entries.filter(({ ReturnData }) => ReturnData !== false);
    if (returned === undefined || others.length > 0) throw new TypeError('an alarm watches one series');
    this.#watched = returned.Id;
    this.#rule = {
      evaluationPeriods: alarm.EvaluationPeriods,
      datapointsToAlarm: alarm.DatapointsToAlarm ?? alarm.EvaluationPeriods,
      treatMissingData: missingDataOf(alarm),
      isBreaching: breaches(alarm.ComparisonOperator, alarm.Threshold),
    };
  }

  /** CloudWatch evaluates an alarm once a minute, or once an hour if its periods add up to more than a day. */
  evaluate(metrics: Metrics, minute: number): void {
    const { EvaluationPeriods } = this.#properties;
    if (EvaluationPeriods * this.#periodMinutes > DAY_MINUTES && minute % 60 !== 0) return;
    const state = alarmState(this.#series(metrics, minute), this.#rule, this.state);
    if (state === this.state) return;
    this.state = state;
    this.changes.push({ minute, state, told: this.#toldOf(state) });
  }

  #toldOf(state: AlarmState): readonly string[] {
    const { AlarmActions = [], OKActions = [] } = this.#properties;
    return state === 'ALARM' ? AlarmActions : state === 'OK' ? OKActions : [];
  }

  #series(metrics: Metrics, minute: number): Series {
    const [length, periodMinutes] = [this.#length, this.#periodMinutes];
    const series: Record<string, Series> = {};
    for (const [id, query] of Object.entries(this.#queries)) series[id] = metrics.seriesOf(query, length, minute);
    const startMinute = minute - length * periodMinutes;
    for (const [id, expression] of this.#expressions)
      series[id] = metricMath(expression, { series, length, startMinute, periodMinutes });
    return series[this.#watched] ?? [];
  }
}

/** The id for the metric of an alarm that has no list of metrics. */
const ONLY = 'only';

function statOf({ Namespace = '', MetricName = '', Dimensions = [], Statistic = '', Period = 0 }: AlarmProperties) {
  return { Metric: { Namespace, MetricName, Dimensions: [...Dimensions] }, Period, Stat: Statistic };
}

function periodMinutesOf({ Period, Metrics: entries = [] }: AlarmProperties): number {
  const periods = [Period, ...entries.map(({ MetricStat }) => MetricStat?.Period)].filter((it) => it !== undefined);
  if (new Set(periods).size !== 1) throw new TypeError(`the metrics of an alarm have periods of ${periods}`);
  return Number(periods[0]) / 60;
}

function queryOf({ Metric, Stat }: NonNullable<MetricEntry['MetricStat']>, periodMinutes: number): MetricQuery {
  const { Namespace, MetricName, Dimensions = [] } = Metric;
  const key = keyOf({ namespace: Namespace, name: MetricName, dimensions: Dimensions });
  return { key, statistic: Stat, periodMinutes };
}

function missingDataOf({ TreatMissingData: treatment }: AlarmProperties): MissingData {
  if (treatment === 'ignore' || treatment === 'notBreaching') return treatment;
  throw new TypeError(`${treatment} data is not played here`);
}

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
