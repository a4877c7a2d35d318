import { expect, test } from 'vitest';
import { emfProblems } from '../support/emf-check.js';

const METRIC = { Name: 'Duration', Unit: 'Milliseconds' };
const DIRECTIVE = { Namespace: 'SingleExecution', Dimensions: [['LockName']], Metrics: [METRIC] };
const AWS = { Timestamp: 1_767_225_600_000, CloudWatchMetrics: [DIRECTIVE] };
const ROOT = { _aws: AWS, LockName: 'digest', Duration: 5 };

const line = (root: unknown) => `${JSON.stringify(root)}\n`;
const withAws = (over: object) => line({ ...ROOT, _aws: { ...AWS, ...over } });
const withDirective = (over: object) => withAws({ CloudWatchMetrics: [{ ...DIRECTIVE, ...over }] });
const withMetric = (over: object) => withDirective({ Metrics: [{ ...METRIC, ...over }] });

test('row 47: the check of the format lets pass a line such as ours, with properties of any kind', () => {
  expect(emfProblems(line(ROOT))).toEqual([]);
  expect(emfProblems(line({ ...ROOT, Tick: null, Nested: { deep: [1] } }))).toEqual([]);
});

const NO_TEXT = 'the value of dimension LockName is no text of printable ASCII';

test.each<[string, string, string]>([
  ['no line end', JSON.stringify(ROOT), 'not exactly one line'],
  ['a line too long', line({ ...ROOT, Tick: 'x'.repeat(262_144) }), 'longer than 262144 bytes'],
  ['text before the object', `INFO ${line(ROOT)}`, 'not JSON'],
  ['the object inside a message', line({ message: JSON.stringify(ROOT) }), 'Namespace undefined is not valid'],
  ['a timestamp as text', withAws({ Timestamp: '1767225600000' }), 'Timestamp is no whole number of milliseconds'],
  ['no dimension set', withDirective({ Dimensions: [] }), 'not one directive of one or two sets'],
  ['a set of two dimensions', withDirective({ Dimensions: [['LockName', 'Tick']] }), 'not one dimension a set'],
  [
    'a second dimension without a value',
    withDirective({ Dimensions: [['LockName'], ['FunctionName']] }),
    'the value of dimension FunctionName is no text of printable ASCII',
  ],
  ['a namespace of blanks', withDirective({ Namespace: ' ' }), 'Namespace   is not valid'],
  ["AWS's own namespaces", withDirective({ Namespace: 'AWS/Lambda' }), 'Namespace AWS/Lambda is not valid'],
  ...['', '  ', 'prüfung', 'a\tb', 'x'.repeat(1_025), 7].map((value): [string, string, string] => [
    `the dimension value ${JSON.stringify(value).slice(0, 20)}`,
    line({ ...ROOT, LockName: value }),
    NO_TEXT,
  ]),
  ['no metrics', withDirective({ Metrics: [] }), '0 metrics'],
  ['a unit of another case', withMetric({ Unit: 'milliseconds' }), 'metric Duration of unit milliseconds'],
  ['a value too large', line({ ...ROOT, Duration: 2 ** 361 }), 'the value of metric Duration is no number'],
])('row 47: the check of the format finds what CloudWatch refuses: %s', (_, text, problem) => {
  expect(emfProblems(text)).toContain(problem);
});
