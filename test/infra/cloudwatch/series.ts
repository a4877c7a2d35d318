/** A value for each period, oldest first; undefined if CloudWatch has no data point. */
export type Series = readonly (number | undefined)[];

export interface Dimension {
  readonly Name: string;
  readonly Value: string;
}

/** A number that was reported for a minute, and the minute from which CloudWatch shows it. */
interface Sample {
  readonly minute: number;
  readonly shownFrom: number;
  readonly value: number;
}

export interface Metric {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: readonly Dimension[];
}

export interface MetricQuery {
  /** The key that {@link keyOf} returns for the metric. */
  readonly key: string;
  readonly statistic: string;
  readonly periodMinutes: number;
}

export class Metrics {
  readonly #samples = new Map<string, Sample[]>();

  /** @param shownFrom later than `minute` if the metric is reported late */
  report(
    metric: Metric,
    value: number,
    { minute, shownFrom = minute }: { readonly minute: number; readonly shownFrom?: number },
  ): void {
    const samples = this.#samplesOf(keyOf(metric));
    samples.splice(firstFrom(samples, minute + 1), 0, { minute, shownFrom, value });
  }

  /** The last `count` periods before a minute, as CloudWatch shows them at that minute. */
  seriesOf(query: MetricQuery, count: number, endMinute: number): Series {
    const { key, statistic, periodMinutes } = query;
    const start = endMinute - count * periodMinutes;
    const values = Array.from({ length: count }, (): number[] => []);
    const samples = this.#samplesOf(key);
    for (let i = firstFrom(samples, start); i < samples.length; i += 1) {
      const { minute, shownFrom, value } = samples[i] as Sample;
      if (minute >= endMinute) break;
      if (shownFrom < endMinute) values[Math.floor((minute - start) / periodMinutes)]?.push(value);
    }
    return values.map((period) => (period.length === 0 ? undefined : statisticOf(statistic, period)));
  }

  #samplesOf(key: string): Sample[] {
    const samples = this.#samples.get(key) ?? [];
    this.#samples.set(key, samples);
    return samples;
  }
}

/** The index of the first sample from a minute on. Samples are in the order of their minutes. */
function firstFrom(samples: readonly Sample[], minute: number): number {
  let [low, high] = [0, samples.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((samples[middle] as Sample).minute < minute) low = middle + 1;
    else high = middle;
  }
  return low;
}

function statisticOf(statistic: string, values: readonly number[]): number {
  switch (statistic) {
    case 'Sum':
      return values.reduce((sum, value) => sum + value, 0);
    case 'Maximum':
      return Math.max(...values);
    case 'SampleCount':
      return values.length;
    default:
      throw new TypeError(`statistic ${statistic} is not played here`);
  }
}

/** The key under which a metric is found. The order of its dimensions does not matter. */
export const keyOf = ({ namespace, name, dimensions }: Metric): string =>
  JSON.stringify([namespace, name, dimensions.map(({ Name, Value }) => `${Name}=${Value}`).sort()]);
