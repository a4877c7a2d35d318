import type { Dimension } from './cloudwatch/series.js';

/** A number that a line of EMF gives to a metric. */
export interface Datum {
  readonly namespace: string;
  readonly metric: string;
  readonly dimensions: readonly Dimension[];
  readonly value: number;
}

export function dataIn(line: string): Datum[] {
  const { _aws, ...members } = JSON.parse(line);
  const directives: Directive[] = _aws?.CloudWatchMetrics ?? [];
  return directives.flatMap(({ Namespace: namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((set) =>
      Metrics.map(({ Name: metric }) => ({
        namespace,
        metric,
        dimensions: set.map((Name) => ({ Name, Value: members[Name] })),
        value: members[metric],
      })),
    ),
  );
}

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string }[];
}
