import { describe, expect, test } from 'vitest';
import { emfProblems } from '../support/emf-check.js';

const METRIC = { Name: 'Duration', Unit: 'Milliseconds' };
const DIRECTIVE = { Namespace: 'SingleExecution', Dimensions: [['LockName']], Metrics: [METRIC] };
const AWS = { Timestamp: 1_767_225_600_000, CloudWatchMetrics: [DIRECTIVE] };
const ROOT = { _aws: AWS, LockName: 'digest', Duration: 5 };

const line = (root: unknown) => `${JSON.stringify(root)}\n`;
const withAws = (over: object) => line({ ...ROOT, _aws: { ...AWS, ...over } });
const withDirective = (over: object) => withAws({ CloudWatchMetrics: [{ ...DIRECTIVE, ...over }] });
const withMetric = (over: object) => withDirective({ Metrics: [{ ...METRIC, ...over }] });
const many = (count: number) => Array.from({ length: count }, (_, k) => `k${k}`);
const valued = (names: readonly string[], value: unknown) => Object.fromEntries(names.map((name) => [name, value]));

describe('row 47: the check of the format lets pass what CloudWatch takes', () => {
  test.each<[string, string]>([
    ['a line such as ours', line(ROOT)],
    ['no dimension', withDirective({ Dimensions: [[]] })],
    ['a metric without a unit', withDirective({ Metrics: [{ Name: 'Duration' }] })],
    ['a high resolution', withMetric({ StorageResolution: 1 })],
    ['a rate', withMetric({ Unit: 'Kilobytes/Second' })],
    ['a hundred values', line({ ...ROOT, Duration: Array(100).fill(1) })],
    ['properties of any kind', line({ ...ROOT, Tick: null, Nested: { deep: [1] } })],
    [
      'thirty dimensions',
      line({
        ...ROOT,
        ...valued(many(30), 'v'),
        _aws: { ...AWS, CloudWatchMetrics: [{ ...DIRECTIVE, Dimensions: [many(30)] }] },
      }),
    ],
  ])('row 47: %s', (_, text) => {
    expect(emfProblems(text)).toEqual([]);
  });
});

describe('row 47: the check of the format finds what CloudWatch refuses', () => {
  test.each<[string, string, string]>([
    ['no line end', JSON.stringify(ROOT), 'not exactly one line'],
    ['two lines', line(ROOT) + line(ROOT), 'not exactly one line'],
    ['a pretty object', `${JSON.stringify(ROOT, null, 2)}\n`, 'not exactly one line'],
    ['a line too long', line({ ...ROOT, Tick: 'x'.repeat(262_144) }), 'longer than 262144 bytes'],
    ['text before the object', `INFO ${line(ROOT)}`, 'no JSON'],
    ['an array', line([ROOT]), 'the root is no object'],
    ['the object inside a message', line({ message: JSON.stringify(ROOT) }), '_aws is no object'],
    ['no timestamp', withAws({ Timestamp: undefined }), 'Timestamp is no whole number of milliseconds'],
    ['a timestamp as text', withAws({ Timestamp: '1767225600000' }), 'Timestamp is no whole number of milliseconds'],
    ['a broken timestamp', withAws({ Timestamp: 1.5 }), 'Timestamp is no whole number of milliseconds'],
    ['a stranger in _aws', withAws({ timestamp: 1 }), '_aws has a member timestamp'],
    ['no directives', withAws({ CloudWatchMetrics: undefined }), 'CloudWatchMetrics is no array'],
    ['an empty list of directives', withAws({ CloudWatchMetrics: [] }), 'CloudWatchMetrics has 0 entries'],
    ['a directive of text', withAws({ CloudWatchMetrics: ['x'] }), 'a directive is no object'],
    ['a stranger in a directive', withDirective({ metrics: [] }), 'a directive has a member metrics'],
    ['an empty namespace', withDirective({ Namespace: '' }), 'Namespace  is none'],
    ['a namespace of blanks', withDirective({ Namespace: ' ' }), 'Namespace   is none'],
    ['a namespace with a star', withDirective({ Namespace: 'a*' }), 'Namespace a* is none'],
    ['a colon first', withDirective({ Namespace: ':a' }), 'Namespace :a is none'],
    ["AWS's own namespaces", withDirective({ Namespace: 'AWS/Lambda' }), 'Namespace AWS/Lambda is none'],
    ['a namespace too long', withDirective({ Namespace: 'a'.repeat(256) }), `Namespace ${'a'.repeat(256)} is none`],
    ['no dimension set', withDirective({ Dimensions: [] }), 'Dimensions has 0 entries'],
    ['a flat dimension set', withDirective({ Dimensions: ['LockName'] }), 'a dimension set is no array'],
    ['a dimension elsewhere', withDirective({ Dimensions: [['Tick']] }), 'dimension Tick is no member of the root'],
    [
      'an inherited dimension',
      withDirective({ Dimensions: [['toString']] }),
      'dimension toString is no member of the root',
    ],
    ['a dimension of another name', withDirective({ Dimensions: [[':a']] }), 'dimension :a is no name'],
    ['no metrics', withDirective({ Metrics: undefined }), 'Metrics is no array'],
    ['a metric of text', withDirective({ Metrics: ['Duration'] }), 'a metric is no object'],
    ['a metric without a name', withMetric({ Name: undefined }), 'metric undefined has no name'],
    ['a metric elsewhere', withMetric({ Name: 'Failed' }), 'a value of metric Failed is no number'],
    [
      'a unit of another case',
      withMetric({ Unit: 'milliseconds' }),
      'metric Duration has the unknown unit milliseconds',
    ],
    ['another resolution', withMetric({ StorageResolution: 30 }), 'metric Duration has the resolution 30'],
    ['a stranger in a metric', withMetric({ unit: 'Count' }), 'metric Duration has a member unit'],
    ['a value of text', line({ ...ROOT, Duration: '5' }), 'a value of metric Duration is no number'],
    ['a value that JSON has not', line({ ...ROOT, Duration: Number.NaN }), 'a value of metric Duration is no number'],
    ['a value too large', line({ ...ROOT, Duration: 2 ** 361 }), 'a value of metric Duration is no number'],
    [
      'too many values',
      line({ ...ROOT, Duration: Array(101).fill(1) }),
      'the value of metric Duration has 101 entries',
    ],
    ...['', '  ', 'prüfung', 'a\tb', 'x'.repeat(1_025), 7, null].map((value): [string, string, string] => [
      `the dimension value ${JSON.stringify(value)?.slice(0, 20)}`,
      line({ ...ROOT, LockName: value }),
      'the value of dimension LockName is no text of printable ASCII',
    ]),
    [
      'too many dimensions',
      line({
        ...ROOT,
        ...valued(many(31), 'v'),
        _aws: { ...AWS, CloudWatchMetrics: [{ ...DIRECTIVE, Dimensions: [many(31)] }] },
      }),
      'a dimension set has 31 entries',
    ],
    [
      'too many metrics',
      line({
        ...ROOT,
        ...valued(many(101), 1),
        _aws: { ...AWS, CloudWatchMetrics: [{ ...DIRECTIVE, Metrics: many(101).map((Name) => ({ Name })) }] },
      }),
      'Metrics has 101 entries',
    ],
  ])('row 47: %s', (_, text, problem) => {
    expect(emfProblems(text)).toEqual([problem]);
  });
});
