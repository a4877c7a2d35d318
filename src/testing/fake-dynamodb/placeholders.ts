import { validationError } from './error.js';

/** The `#names` and `:values` of one request; records which of them its expressions used. */
export interface Placeholders {
  /** The attribute behind a `#name`. @throws a ValidationException if it is not defined */
  name(placeholder: string, expression: string): string;
  /** The value behind a `:value`. @throws a ValidationException if it is not defined */
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
