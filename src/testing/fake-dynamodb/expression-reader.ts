import { attributeOf, type FakeItem } from './attribute-value.js';
import { beyondFake, validationError } from './error.js';
import { isReservedWord } from './reserved-words.js';

/** Reads one expression, token by token. It refuses what DynamoDB refuses, with DynamoDB's messages. */
export interface ExpressionReader {
  /** Returns the next token, without taking it; empty at the end. */
  peek(): string;
  /** Takes the next token if it is `token`; a keyword may be in any case. */
  takes(token: string): boolean;
  /** Takes the next token, which must be `token`. */
  expect(token: string): void;
  /** Takes the name of a function and its opening parenthesis, if they come next. */
  takeFunction(): string | undefined;
  /** Takes the attribute that must come next. @param caller the function that asks for it */
  attribute(caller?: string): string;
  /** Takes the attribute or the value that must come next. */
  operand(): Operand;
  /** Refuses tokens that remain. */
  end(): void;
  /** Makes an error about this expression. */
  invalid(why: string): Error;
  /** Makes an error about the next token, which is not allowed at its place. */
  syntaxError(): Error;
  /** Makes an error about an attribute that is compared with itself. */
  sameOperands(operator: string, attribute: string): Error;
}

export interface Operand {
  /** The attribute; absent if the operand is not a single attribute. */
  readonly attribute?: string;
  /** The value; absent if it depends on the item. */
  readonly literal?: unknown;
  readonly read: (item: FakeItem) => unknown;
}

interface Token {
  readonly token: string;
  readonly upper: string;
  readonly start: number;
  readonly end: number;
}

const TOKEN = /[#:]\w+|[A-Za-z]\w*|<>|<=|>=|\S/g;
const END: Token = { token: '<EOF>', upper: '', start: Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY };
/**
 * The tokens of each expression read so far. The map stays small: expressions contain no values, so the same
 * expressions recur.
 */
const KNOWN = new Map<string, readonly Token[]>();

/**
 * Makes a reader of one expression.
 *
 * @param kind the parameter with the expression, such as `ConditionExpression`
 */
export function readExpression(kind: string, text: string, placeholders: Placeholders): ExpressionReader {
  const tokens = tokensOf(text);
  let at = 0;

  const reader: ExpressionReader = {
    peek: () => tokens[at]?.token ?? '',

    takes(token) {
      const isNext = tokens[at]?.upper === token;
      if (isNext) at++;
      return isNext;
    },

    expect(token) {
      if (!reader.takes(token)) throw reader.syntaxError();
    },

    takeFunction() {
      const name = reader.peek();
      if (!/^[A-Za-z]/.test(name) || tokens[at + 1]?.token !== '(') return undefined;
      at += 2;
      return name;
    },

    attribute(caller) {
      const token = reader.peek();
      if (token.startsWith(':') && caller !== undefined) {
        throw reader.invalid(`Operator or function requires a document path; operator or function: ${caller}`);
      }
      if (!/^#\w|^[A-Za-z]/.test(token)) throw reader.syntaxError();
      at++;
      if (['.', '['].includes(reader.peek())) throw beyondFake(`look inside of an attribute, as "${text}" does`);
      if (token.startsWith('#')) return placeholders.name(token, kind);
      if (!isReservedWord(token)) return token;
      throw reader.invalid(`Attribute name is a reserved keyword; reserved keyword: ${token}`);
    },

    operand() {
      const token = reader.peek();
      if (!/^:\w/.test(token)) {
        const attribute = reader.attribute();
        return { attribute, read: (item) => attributeOf(item, attribute) };
      }
      at++;
      const literal = placeholders.value(token, kind);
      return { literal, read: () => literal };
    },

    end() {
      if (at < tokens.length) throw reader.syntaxError();
    },

    invalid: (why) => validationError(`Invalid ${kind}: ${why}`),

    syntaxError() {
      const { token } = tokens[at] ?? END;
      const near = text.slice(tokens[at - 1]?.start, tokens[at + 1]?.end);
      return reader.invalid(`Syntax error; token: "${token}", near: "${near}"`);
    },

    sameOperands: (operator, attribute) =>
      reader.invalid(
        `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: [${attribute}]`,
      ),
  };

  if (tokens.length === 0) throw reader.invalid('The expression can not be empty;');
  return reader;
}

function tokensOf(text: string): readonly Token[] {
  const known = KNOWN.get(text);
  if (known) return known;
  const tokens = [...text.matchAll(TOKEN)].map(({ 0: token, index }) => ({
    token,
    upper: token.toUpperCase(),
    start: index,
    end: index + token.length,
  }));
  KNOWN.set(text, tokens);
  return tokens;
}

/** The `#names` and `:values` of one request; records which of them its expressions used. */
export interface Placeholders {
  /** Returns the attribute behind a `#name`. @throws a ValidationException if it is not defined */
  name(placeholder: string, expression: string): string;
  /** Returns the value behind a `:value`. @throws a ValidationException if it is not defined */
  value(placeholder: string, expression: string): unknown;
  /** @throws a ValidationException for a placeholder that no expression used */
  refuseUnused(): void;
}

export interface PlaceholderInput {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

export function placeholdersOf(input: PlaceholderInput): Placeholders {
  const names = defined('ExpressionAttributeNames', input.ExpressionAttributeNames, /^#\w+$/);
  const values = defined('ExpressionAttributeValues', input.ExpressionAttributeValues, /^:\w+$/);
  const used = new Set<string>();

  return {
    name(placeholder, expression) {
      const name = names.get(placeholder);
      if (name === undefined) {
        throw validationError(
          `Invalid ${expression}: An expression attribute name used in the document path is not defined; attribute name: ${placeholder}`,
        );
      }
      used.add(placeholder);
      return name;
    },
    value(placeholder, expression) {
      const value = values.get(placeholder);
      if (value === undefined) {
        throw validationError(
          `Invalid ${expression}: An expression attribute value used in expression is not defined; attribute value: ${placeholder}`,
        );
      }
      used.add(placeholder);
      return value;
    },
    refuseUnused() {
      refuseUnused('ExpressionAttributeNames', names, used);
      refuseUnused('ExpressionAttributeValues', values, used);
    },
  };
}

function defined<T>(parameter: string, given: Readonly<Record<string, T>> | undefined, form: RegExp): Map<string, T> {
  const entries = new Map(Object.entries(given ?? {}));
  if (given && entries.size === 0) throw validationError(`${parameter} must not be empty`);
  for (const [key, value] of entries) {
    if (!form.test(key)) throw validationError(`${parameter} contains invalid key: Syntax error; key: "${key}"`);
    if (value === undefined) throw validationError(`${parameter} contains invalid value: undefined for key ${key}`);
  }
  return entries;
}

function refuseUnused(parameter: string, given: ReadonlyMap<string, unknown>, used: ReadonlySet<string>): void {
  const unused = [...given.keys()].filter((key) => !used.has(key)).sort();
  if (unused.length === 0) return;
  throw validationError(`Value provided in ${parameter} unused in expressions: keys: {${unused.join(', ')}}`);
}
