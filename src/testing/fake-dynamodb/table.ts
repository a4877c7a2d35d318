import { type FakeItem, rawItem } from './attribute-value.js';
import { parseCondition } from './condition.js';
import { beyondFake, dynamoDBError, validationError } from './error.js';
import { type PlaceholderInput, placeholdersOf } from './expression-reader.js';
import { parseUpdate } from './update.js';

/** A DynamoDB table with keys of type S, in memory. It refuses features that it lacks, and never guesses. */
export interface FakeTable {
  items(): FakeItem[];
  get(key: FakeItem): FakeItem | undefined;
  put(item: FakeItem): void;
  /**
   * Carries out one UpdateItem.
   *
   * @returns the item before or after, if `ReturnValues` asks for it
   * @throws a ValidationException, or a ConditionalCheckFailedException, with the raw item if the request asks for it
   */
  update(input: UpdateInput): FakeItem | undefined;
}

export interface UpdateInput extends PlaceholderInput {
  readonly Key: FakeItem;
  readonly UpdateExpression: string;
  readonly ConditionExpression?: string;
  readonly ReturnValues?: string;
  readonly ReturnValuesOnConditionCheckFailure?: string;
}

const MAX_KEY_BYTES = [2_048, 1_024];

/**
 * Makes an empty table.
 *
 * @param keys names of the partition key and of the sort key, if there is one
 */
export function fakeTable(keys: readonly string[]): FakeTable {
  const items = new Map<string, FakeItem>();
  return {
    items: () => [...items.values()],
    get: (key) => items.get(identity(key, keys)),
    put(item) {
      rawItem(item);
      items.set(identity(Object.fromEntries(keys.map((name) => [name, item[name]])), keys), asStored(item));
    },
    update(input) {
      const id = identity(input.Key, keys);
      const old = items.get(id);
      const item = updated(input, keys, old);
      items.set(id, item);
      if (input.ReturnValues === 'ALL_NEW') return item;
      return input.ReturnValues === 'ALL_OLD' ? old : undefined;
    },
  };
}

/** @returns the key as text. @throws a ValidationException for a key that does not fit the table */
function identity(key: FakeItem, names: readonly string[]): string {
  if (Object.keys(key).length !== names.length)
    throw validationError('The number of conditions on the keys is invalid');
  for (const [i, name] of names.entries()) {
    const value = key[name];
    if (value === undefined) throw validationError('One of the required keys was not given a value');
    if (typeof value !== 'string') {
      throw validationError('One or more parameter values were invalid: Type mismatch for key');
    }
    if (value === '') {
      throw validationError(
        `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
      );
    }
    if (new TextEncoder().encode(value).length > (MAX_KEY_BYTES[i] ?? 0)) {
      throw validationError(
        'Hash primary key values must be under 2048 bytes, and range primary key values must be under 1024 bytes',
      );
    }
  }
  return JSON.stringify(names.map((name) => key[name]));
}

/** Returns an item as DynamoDB stores it: with 0 in place of -0. */
function asStored(item: FakeItem): FakeItem {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, value === 0 ? 0 : value]));
}

function updated(input: UpdateInput, keys: readonly string[], old: FakeItem | undefined): FakeItem {
  const { ReturnValues = 'NONE', ConditionExpression, ReturnValuesOnConditionCheckFailure } = input;
  if (!['NONE', 'ALL_OLD', 'ALL_NEW'].includes(ReturnValues)) throw beyondFake(`return ${ReturnValues}`);

  // 1. Find every error of the request before reading the item.
  const placeholders = placeholdersOf(input);
  const update = parseUpdate(input.UpdateExpression, placeholders);
  const condition = ConditionExpression === undefined ? undefined : parseCondition(ConditionExpression, placeholders);
  placeholders.refuseUnused();
  const changedKey = update.attributes.find((attribute) => keys.includes(attribute));
  if (changedKey !== undefined) {
    throw validationError(
      `One or more parameter values were invalid: Cannot update attribute ${changedKey}. This attribute is part of the key`,
    );
  }

  // 2. Check the condition.
  if (condition && !condition(old ?? {})) {
    const details = old && ReturnValuesOnConditionCheckFailure === 'ALL_OLD' ? { Item: rawItem(old) } : {};
    throw dynamoDBError('ConditionalCheckFailedException', 'The conditional request failed', details);
  }

  // 3. Write.
  const item = asStored(update.apply(old ?? input.Key));
  rawItem(item);
  return item;
}
