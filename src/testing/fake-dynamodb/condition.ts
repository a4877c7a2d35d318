import { areEqual, attributeOf, type FakeItem, orderOf, typeOf } from './attribute-value.js';
import { beyondFake } from './error.js';
import { type ExpressionReader, type Placeholders, readExpression } from './expression-reader.js';

/** Whether an item allows a write. A missing item counts as an item without attributes. */
export type Condition = (item: FakeItem) => boolean;

type Compare = (a: unknown, b: unknown) => boolean;

/** The comparisons. If an attribute is absent, or of another type than the other operand, only `<>` is true. */
const COMPARATORS: ReadonlyMap<string, Compare> = new Map([
  ['=', areEqual],
  ['<>', (a, b) => !areEqual(a, b)],
  ['<', (a, b) => orderOf(a, b) < 0],
  ['<=', (a, b) => orderOf(a, b) <= 0],
  ['>', (a, b) => orderOf(a, b) > 0],
  ['>=', (a, b) => orderOf(a, b) >= 0],
]);
const EXISTENCE: ReadonlyMap<string, boolean> = new Map([
  ['attribute_exists', true],
  ['attribute_not_exists', false],
]);
const BEYOND: readonly string[] = ['attribute_type', 'begins_with', 'size'];

/**
 * Reads a ConditionExpression of comparisons, `attribute_exists`, `attribute_not_exists`, `contains`, AND, OR, NOT and
 * parentheses.
 *
 * @throws a ValidationException if DynamoDB would throw one; an error for features that this fake lacks
 */
export function parseCondition(text: string, placeholders: Placeholders): Condition {
  const reader = readExpression('ConditionExpression', text, placeholders);
  const parenthesised = new WeakSet<Condition>();

  const either = (): Condition => {
    let condition = both();
    while (reader.takes('OR')) {
      const [left, right] = [condition, both()];
      condition = (item) => left(item) || right(item);
    }
    return condition;
  };

  const both = (): Condition => {
    let condition = negation();
    while (reader.takes('AND')) {
      const [left, right] = [condition, negation()];
      condition = (item) => left(item) && right(item);
    }
    return condition;
  };

  const negation = (): Condition => {
    if (!reader.takes('NOT')) return primary();
    const condition = negation();
    return (item) => !condition(item);
  };

  const primary = (): Condition => {
    if (!reader.takes('(')) return functionCall(reader) ?? comparison(reader);
    const inner = either();
    reader.expect(')');
    if (parenthesised.has(inner)) throw reader.invalid('The expression has redundant parentheses;');
    const condition: Condition = (item) => inner(item);
    parenthesised.add(condition);
    return condition;
  };

  const condition = either();
  reader.end();
  return condition;
}

function functionCall(reader: ExpressionReader): Condition | undefined {
  const name = reader.takeFunction();
  if (name === undefined) return undefined;
  if (BEYOND.includes(name)) throw beyondFake(`evaluate ${name}`);
  if (name === 'contains') return contains(reader);
  const shouldExist = EXISTENCE.get(name);
  if (shouldExist === undefined) throw reader.invalid(`Invalid function name; function: ${name}`);
  const attribute = reader.attribute(name);
  reader.expect(')');
  return (item) => (attributeOf(item, attribute) !== undefined) === shouldExist;
}

/**
 * Reads `contains`, which searches a text for another text. DynamoDB's `contains` also searches sets and lists, but a
 * record has neither.
 */
function contains(reader: ExpressionReader): Condition {
  const operands = [reader.operand()];
  while (reader.takes(',')) operands.push(reader.operand());
  reader.expect(')');
  const [whole, part] = operands;
  if (!whole || !part || operands.length > 2) throw operandCount(reader, 'contains', operands.length);
  if (whole.attribute !== undefined && whole.attribute === part.attribute) {
    throw reader.sameOperands('contains', whole.attribute);
  }
  return (item) => {
    const [text, sought] = [whole.read(item), part.read(item)];
    return typeof text === 'string' && typeof sought === 'string' && text.includes(sought);
  };
}

function operandCount(reader: ExpressionReader, name: string, count: number): Error {
  return reader.invalid(
    `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${count}`,
  );
}

function comparison(reader: ExpressionReader): Condition {
  const left = reader.operand();
  const operator = reader.peek();
  if (['BETWEEN', 'IN'].includes(operator.toUpperCase())) throw beyondFake(`evaluate ${operator}`);
  const compare = COMPARATORS.get(operator);
  if (!compare) throw reader.syntaxError();
  reader.expect(operator);
  const right = reader.operand();

  if (left.attribute !== undefined && left.attribute === right.attribute) {
    throw reader.sameOperands(operator, left.attribute);
  }
  for (const { literal } of [left, right]) {
    const type = typeOf(literal);
    if (type === undefined || type === 'S' || type === 'N' || operator === '=' || operator === '<>') continue;
    throw reader.invalid(
      `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${type}`,
    );
  }
  return (item) => compare(left.read(item), right.read(item));
}
