import { attributeOf, type FakeItem, typeOf } from './attribute-value.js';
import { beyondFake, validationError } from './error.js';
import { type ExpressionReader, type Operand, type Placeholders, readExpression } from './expression-reader.js';

/** DynamoDB keeps 38 significant digits. */
const MAX_DIGITS = 38;

/** A parsed UpdateExpression. */
export interface Update {
  /** Attributes that the expression sets or removes. */
  readonly attributes: readonly string[];
  /** Makes the new item; every value is read from the old item. */
  apply(item: FakeItem): FakeItem;
}

/**
 * Reads an UpdateExpression of SET (values, attributes, `if_not_exists`, `+`, `-`) and REMOVE.
 *
 * @throws a ValidationException if DynamoDB would throw one; an error for features that this fake lacks
 */
export function parseUpdate(text: string, placeholders: Placeholders): Update {
  const reader = readExpression('UpdateExpression', text, placeholders);
  /** The new value of each attribute; undefined if the attribute is removed. */
  const changes = new Map<string, Operand['read'] | undefined>();
  const sections = new Set<string>();

  const change = (attribute: string, read: Operand['read'] | undefined) => {
    if (changes.has(attribute)) throw overlap(reader, attribute);
    changes.set(attribute, read);
  };

  while (reader.peek() !== '') {
    const section = reader.peek().toUpperCase();
    if (['ADD', 'DELETE'].includes(section)) throw beyondFake(`do ${section}; use SET`);
    if (section !== 'SET' && section !== 'REMOVE') throw reader.syntaxError();
    if (sections.has(section)) {
      throw reader.invalid(`The "${section}" section can only be used once in an update expression;`);
    }
    sections.add(section);
    reader.expect(section);
    do {
      const attribute = reader.attribute();
      if (section === 'SET') reader.expect('=');
      change(attribute, section === 'SET' ? sum(reader).read : undefined);
    } while (reader.takes(','));
  }

  return {
    attributes: [...changes.keys()],
    apply(item) {
      const after = new Map(Object.entries(item));
      for (const [attribute, read] of changes) {
        if (read) after.set(attribute, present(read(item)));
        else after.delete(attribute);
      }
      return Object.fromEntries(after);
    },
  };
}

function sum(reader: ExpressionReader): Operand {
  const left = term(reader);
  const operator = reader.peek();
  if (operator !== '+' && operator !== '-') return left;
  reader.expect(operator);
  const right = term(reader);
  for (const { literal } of [left, right]) {
    const type = typeOf(literal);
    if (type === undefined || type === 'N') continue;
    throw reader.invalid(
      `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${type}`,
    );
  }
  const sign = operator === '+' ? 1 : -1;
  return { read: (item) => precise(number(left.read(item)), sign * number(right.read(item))) };
}

function term(reader: ExpressionReader): Operand {
  const name = reader.takeFunction();
  if (name === undefined) return reader.operand();
  if (name === 'list_append') throw beyondFake(`evaluate ${name}`);
  if (name !== 'if_not_exists') throw reader.invalid(`Invalid function name; function: ${name}`);
  const attribute = reader.attribute(name);
  reader.expect(',');
  const fallback = term(reader);
  reader.expect(')');
  if (fallback.attribute === attribute) throw reader.sameOperands(name, attribute);
  return {
    read(item) {
      // DynamoDB reads the fallback even if it is not needed.
      const value = present(fallback.read(item));
      return attributeOf(item, attribute) === undefined ? value : attributeOf(item, attribute);
    },
  };
}

function present(value: unknown): unknown {
  if (value !== undefined) return value;
  throw validationError('The provided expression refers to an attribute that does not exist in the item');
}

function number(value: unknown): number {
  if (typeof present(value) === 'number') return value as number;
  throw validationError('An operand in the update expression has an incorrect data type');
}

/**
 * Adds two numbers.
 *
 * @throws a ValidationException if the sum has more digits than DynamoDB keeps
 */
function precise(a: number, b: number): number {
  const sizes = [a, b].filter((n) => n !== 0).map((n) => Math.floor(Math.log10(Math.abs(n))));
  if (Math.max(...sizes) - Math.min(...sizes) < MAX_DIGITS) return a + b;
  throw validationError('DynamoDB only supports precision up to 38 digits');
}

function overlap(reader: ExpressionReader, attribute: string): Error {
  return reader.invalid(
    `Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [${attribute}], path two: [${attribute}]`,
  );
}
