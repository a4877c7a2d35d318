/*
 * CloudWatch's rules for one line of its Embedded Metric Format. The observer uses a part of the format: one directive,
 * one or two sets of one dimension each, and for each metric one value and its unit. CloudWatch allows more, but this
 * check reports everything else as a problem.
 */

const MAX_BYTES = 262_144;
const MAX_METRICS = 100;
const LARGEST = 2 ** 360;
const UNITS = ['Count', 'Milliseconds'];
const NAMESPACE = /^(?!:|AWS\/)[0-9A-Za-z._\-/#: ]{1,255}$/;

type Members = Readonly<Record<string, unknown>>;

/** Why CloudWatch would not take the metrics from this line. Empty if it would. */
export function emfProblems(line: string): string[] {
  if (!/^[^\n]+\n$/.test(line)) return ['not exactly one line'];
  if (Buffer.byteLength(line) > MAX_BYTES) return [`longer than ${MAX_BYTES} bytes`];
  let root: Members;
  try {
    root = JSON.parse(line);
  } catch {
    return ['not JSON'];
  }
  const { Timestamp: timestamp, CloudWatchMetrics: directives } = membersOf(
    root['_aws'],
    'Timestamp CloudWatchMetrics',
  );
  const [directive, ...more] = listIn(directives);
  const { Namespace: namespace, Dimensions: sets, Metrics } = membersOf(directive, 'Namespace Dimensions Metrics');
  const dimensions = listIn(sets).map((set) => listIn(set)[0]);
  const metrics = listIn(Metrics);
  const problems: [boolean, string][] = [
    [Number.isInteger(timestamp) && Number(timestamp) >= 0, 'Timestamp is no whole number of milliseconds'],
    [more.length === 0 && [1, 2].includes(dimensions.length), 'not one directive of one or two sets'],
    [JSON.stringify(sets) === JSON.stringify(dimensions.map((name) => [name])), 'not one dimension a set'],
    [isText(namespace, 255) && NAMESPACE.test(namespace), `Namespace ${namespace} is not valid`],
    ...dimensions.map((name): [boolean, string] => [
      isText(root[String(name)], 1_024),
      `the value of dimension ${name} is no text of printable ASCII`,
    ]),
    [metrics.length > 0 && metrics.length <= MAX_METRICS, `${metrics.length} metrics`],
    ...metrics.flatMap((metric): [boolean, string][] => {
      const { Name, Unit } = membersOf(metric, 'Name Unit');
      const value = Object.hasOwn(root, String(Name)) ? root[String(Name)] : undefined;
      return [
        [isText(Name, 255) && UNITS.includes(String(Unit)), `metric ${Name} of unit ${Unit}`],
        [typeof value === 'number' && Math.abs(value) <= LARGEST, `the value of metric ${Name} is no number`],
      ];
    }),
  ];
  return problems.filter(([holds]) => !holds).map(([, problem]) => problem);
}

/** The members of an object that has exactly these names in this order. Empty for any other value. */
function membersOf(value: unknown, names: string): Members {
  const isSo = typeof value === 'object' && value !== null && Object.keys(value).join(' ') === names;
  return isSo ? (value as Members) : {};
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Whether a value is a text of printable ASCII with something other than blanks. */
const isText = (value: unknown, maxLength: number): value is string =>
  typeof value === 'string' && value.length <= maxLength && /^[ -~]*[!-~][ -~]*$/.test(value);
