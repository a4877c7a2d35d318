/*
 * The attributes of a lock's record, by the type that DynamoDB stores. The tests compare this table with the checks of
 * a record. It stands here because the CDK constructs, which know no records, need it too.
 */

type KeyType = 'S' | 'N';

const NUMBERS = 'fencingToken lockedAt lockUntil leaseMs tick doneTick releasedAt v pausedUntil'.split(' ');
const TEXTS = 'attemptId state lockedBy schedule result openTicks failedTicks error pausedBy barredAttempt'.split(' ');

/** All attributes that the record of a lock can have, without the rows of its history. */
export const RECORD_ATTRIBUTES: readonly string[] = [...NUMBERS, ...TEXTS];

/** Returns the type of an attribute of a lock's record; undefined for any other name. */
export function recordAttributeType(name: string): KeyType | undefined {
  if (NUMBERS.includes(name)) return 'N';
  return TEXTS.includes(name) || /^r\d$/.test(name) ? 'S' : undefined;
}

/** A secondary index of a table, with the types of its keys. */
export interface TableIndex {
  readonly name: string;
  readonly keys: readonly { readonly name: string; readonly type: string | undefined }[];
}

/**
 * Says what an index does to locks: undefined if none of its keys is an attribute of a lock's record. If a type
 * differs, DynamoDB refuses each write of that attribute.
 */
export function indexConflict({ name, keys }: TableIndex): { isFatal: boolean; problem: string } | undefined {
  for (const key of keys) {
    const type = recordAttributeType(key.name);
    if (type === undefined || type === key.type) continue;
    return {
      isFatal: true,
      problem: `index '${name}' has the key '${key.name}' of type ${key.type}, and locks have an attribute '${key.name}' of type ${type}: DynamoDB refuses to write it`,
    };
  }
  const shared = keys.find((key) => recordAttributeType(key.name) !== undefined);
  return (
    shared && { isFatal: false, problem: `index '${name}' has the key '${shared.name}', so it contains locks too` }
  );
}
