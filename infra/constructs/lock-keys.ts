import { Token } from 'aws-cdk-lib';
import { describe } from '../../src/core/values/checks.js';
import { nameProblem } from '../../src/core/values/names.js';

/** The partition key of one lock, or all partition keys with the same beginning. */
export interface LockKeys {
  readonly kind: 'exact' | 'prefix';
  readonly text: string;
}

/**
 * Reads a lock name as given to `withSingleExecution`, or a prefix of names, written `prefix*`.
 *
 * @param keyPrefix the text that the store puts before each name; it counts towards the 128 bytes of a name
 * @throws TypeError, RangeError for names that the library would refuse at run time
 */
export function lockKeys(name: string, keyPrefix: string): LockKeys {
  if (Token.isUnresolved(keyPrefix + name)) {
    throw new TypeError('a lock name or key prefix is a token, known only when it is deployed: pass the text itself');
  }
  const isPrefix = name.endsWith('*');
  const text = isPrefix ? name.slice(0, -1) : name;
  const key = keyPrefix + text;
  if (text === '') {
    throw new TypeError(`lock name is '${name}': pass a name such as 'send-digest', or a prefix such as 'tenant/*'`);
  }
  const problem = nameProblem(key);
  if (problem !== undefined) throw new RangeError(`lock name is ${describe(keyPrefix + name)}: ${problem}`);
  return { kind: isPrefix ? 'prefix' : 'exact', text: key };
}

/** Whether at least one key belongs to both `a` and `b`. */
export function overlap(a: LockKeys, b: LockKeys): boolean {
  if (a.kind === 'exact' && b.kind === 'exact') return a.text === b.text;
  return (b.kind === 'prefix' && a.text.startsWith(b.text)) || (a.kind === 'prefix' && b.text.startsWith(a.text));
}
