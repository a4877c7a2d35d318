import type { Series } from './series.js';

/*
 * The part of CloudWatch's metric math that the alarms use, from its user guide (awsdocs/amazon-cloudwatch-user-guide
 * at cc40332, doc_source/using-metric-math.md). Everything else is an error, not a guess.
 *
 * - `a + b`, `a - b` of two series: a point that is missing in one of them counts as 0.
 * - `IF(condition, then, else)`: a point without a condition is dropped. So is a point whose condition is false, if
 *   there is no `else`. A point that is missing in `then` is 0; a point that is missing in `else` is dropped.
 * - `EPOCH(series)`: the timestamp of each period, in seconds, whether it has data or not.
 * - `FILL(series, REPEAT)`: a missing point gets the most recent value before it. Points before the first value stay
 *   missing.
 */

type Value = Series | number;

/** The series that an expression may name, and when their first period begins. */
export interface Range {
  readonly series: Readonly<Record<string, Series>>;
  readonly length: number;
  readonly startMinute: number;
  readonly periodMinutes: number;
}

const TOKENS = /\s*([A-Za-z_]\w*|\d+|[(),+-])\s*/y;

/** Evaluates an expression over a range. */
export function metricMath(expression: string, range: Range): Series {
  const tokens = [...tokensOf(expression)];
  const value = sum(tokens, range);
  if (tokens.length > 0 || typeof value === 'number') throw new TypeError(`${expression} is no series`);
  return value;
}

const read = new Map<string, readonly string[]>();

/** The tokens of an expression. Kept for later calls, because an alarm evaluates the same expression every minute. */
function tokensOf(expression: string): readonly string[] {
  const known = read.get(expression);
  if (known) return known;
  const tokens: string[] = [];
  for (TOKENS.lastIndex = 0; TOKENS.lastIndex < expression.length; ) {
    const token = TOKENS.exec(expression)?.[1];
    if (token === undefined) throw new TypeError(`${expression} has something that is not played here`);
    tokens.push(token);
  }
  read.set(expression, tokens);
  return tokens;
}

function sum(tokens: string[], range: Range): Value {
  let left = term(tokens, range);
  while (tokens[0] === '+' || tokens[0] === '-') {
    const sign = tokens.shift() === '+' ? 1 : -1;
    const [a, b] = [seriesOf(left), seriesOf(term(tokens, range))];
    left = a.map((value, i) =>
      value === undefined && b[i] === undefined ? undefined : (value ?? 0) + sign * (b[i] ?? 0),
    );
  }
  return left;
}

function term(tokens: string[], range: Range): Value {
  const token = tokens.shift() ?? '';
  if (/^\d/.test(token)) return Number(token);
  if (tokens[0] !== '(') {
    const series = range.series[token];
    if (!series) throw new TypeError(`${token} is no metric of this alarm`);
    return series;
  }
  return call(token, argumentsOf(tokens, range), range);
}

function argumentsOf(tokens: string[], range: Range): (Value | 'REPEAT')[] {
  const values: (Value | 'REPEAT')[] = [];
  do {
    tokens.shift();
    if (tokens[0] === 'REPEAT') values.push(tokens.shift() as 'REPEAT');
    else values.push(sum(tokens, range));
  } while (tokens[0] === ',');
  if (tokens.shift() !== ')') throw new TypeError('a bracket is not closed');
  return values;
}

function call(name: string, [first, second, third]: (Value | 'REPEAT')[], range: Range): Series {
  const series = seriesOf(first);
  if (name === 'EPOCH') return series.map((_, i) => (range.startMinute + i * range.periodMinutes) * 60);
  if (name === 'IF') return series.map((condition, i) => chosen(condition, pointOf(second, i), pointOf(third, i)));
  if (name === 'FILL' && second === 'REPEAT') {
    let last: number | undefined;
    return series.map((value) => {
      last = value ?? last;
      return last;
    });
  }
  throw new TypeError(`${name} is not played here`);
}

function chosen(condition: number | undefined, then: number | undefined, otherwise: number | undefined) {
  if (condition === undefined) return undefined;
  return condition === 0 ? otherwise : (then ?? 0);
}

function seriesOf(value: Value | 'REPEAT' | undefined): Series {
  if (typeof value === 'object') return value;
  throw new TypeError(`${value} stands where only a series is played`);
}

const pointOf = (value: Value | 'REPEAT' | undefined, i: number): number | undefined =>
  typeof value === 'object' ? value[i] : (value as number | undefined);
