/*
 * CloudWatch's rules for one line of its Embedded Metric Format, and for what the line refers to: the specification of
 * the format, and the limits of Dimension, MetricDatum and namespaces.
 */

const MAX_BYTES = 262_144;
const MAX_METRICS = 100;
const MAX_VALUES = 100;
const MAX_DIMENSIONS = 30;
const LARGEST = 2 ** 360;

const SIZES = ['Bytes', 'Kilobytes', 'Megabytes', 'Gigabytes', 'Terabytes'];
const BIT_SIZES = ['Bits', 'Kilobits', 'Megabits', 'Gigabits', 'Terabits'];
const AMOUNTS = [...SIZES, ...BIT_SIZES, 'Count'];
const UNITS = [
  'Seconds',
  'Microseconds',
  'Milliseconds',
  'Percent',
  'None',
  ...AMOUNTS,
  ...AMOUNTS.map((amount) => `${amount}/Second`),
];

type Members = Readonly<Record<string, unknown>>;

/** Why CloudWatch would not take a written line for the metrics that it means; empty when it would. */
export function emfProblems(line: string): string[] {
  if (!/^[^\n]+\n$/.test(line)) return ['not exactly one line'];
  if (Buffer.byteLength(line) > MAX_BYTES) return [`longer than ${MAX_BYTES} bytes`];
  let root: unknown;
  try {
    root = JSON.parse(line);
  } catch {
    return ['no JSON'];
  }
  if (!isObject(root)) return ['the root is no object'];
  const { _aws: metadata } = root;
  if (!isObject(metadata)) return ['_aws is no object'];
  const { Timestamp: timestamp, CloudWatchMetrics: directives } = metadata;
  return [
    ...strangers('_aws', metadata, ['Timestamp', 'CloudWatchMetrics']),
    ...unless(Number.isInteger(timestamp) && Number(timestamp) >= 0, 'Timestamp is no whole number of milliseconds'),
    ...each('CloudWatchMetrics', directives, [1, Number.POSITIVE_INFINITY], (directive) =>
      directiveProblems(directive, root as Members),
    ),
  ];
}

function directiveProblems(directive: unknown, root: Members): string[] {
  if (!isObject(directive)) return ['a directive is no object'];
  const { Namespace: namespace, Dimensions: sets, Metrics: metrics } = directive;
  return [
    ...strangers('a directive', directive, ['Namespace', 'Dimensions', 'Metrics']),
    ...unless(
      isText(namespace, 255) && /^(?!:|AWS\/)[0-9A-Za-z._\-/#: ]*$/.test(namespace),
      `Namespace ${namespace} is none`,
    ),
    ...each('Dimensions', sets, [1, Number.POSITIVE_INFINITY], (set) =>
      each('a dimension set', set, [0, MAX_DIMENSIONS], (key) => dimensionProblems(key, root)),
    ),
    ...each('Metrics', metrics, [0, MAX_METRICS], (metric) => metricProblems(metric, root)),
  ];
}

function dimensionProblems(key: unknown, root: Members): string[] {
  if (!isText(key, 255) || key.startsWith(':')) return [`dimension ${key} is no name`];
  if (!Object.hasOwn(root, key)) return [`dimension ${key} is no member of the root`];
  return unless(isText(root[key], 1_024), `the value of dimension ${key} is no text of printable ASCII`);
}

function metricProblems(metric: unknown, root: Members): string[] {
  if (!isObject(metric)) return ['a metric is no object'];
  const { Name: name, Unit: unit = 'None', StorageResolution: resolution = 60 } = metric;
  if (!isText(name, 255)) return [`metric ${name} has no name`];
  const value = Object.hasOwn(root, name) ? root[name] : undefined;
  return [
    ...strangers(`metric ${name}`, metric, ['Name', 'Unit', 'StorageResolution']),
    ...unless(typeof unit === 'string' && UNITS.includes(unit), `metric ${name} has the unknown unit ${unit}`),
    ...unless(resolution === 1 || resolution === 60, `metric ${name} has the resolution ${resolution}`),
    ...each(`the value of metric ${name}`, Array.isArray(value) ? value : [value], [1, MAX_VALUES], (each) =>
      unless(typeof each === 'number' && Math.abs(each) <= LARGEST, `a value of metric ${name} is no number`),
    ),
  ];
}

function each(what: string, list: unknown, [min, max]: [number, number], check: (one: unknown) => string[]): string[] {
  if (!Array.isArray(list)) return [`${what} is no array`];
  return [
    ...unless(list.length >= min && list.length <= max, `${what} has ${list.length} entries`),
    ...list.flatMap(check),
  ];
}

function strangers(what: string, object: Members, known: readonly string[]): string[] {
  return Object.keys(object)
    .filter((key) => !known.includes(key))
    .map((key) => `${what} has a member ${key}`);
}

const unless = (holds: boolean, problem: string): string[] => (holds ? [] : [problem]);

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Printable ASCII, not all blank. */
const isText = (value: unknown, maxLength: number): value is string =>
  typeof value === 'string' && value.length <= maxLength && /^[ -~]*[!-~][ -~]*$/.test(value);
