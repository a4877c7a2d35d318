import type { Statement } from '../deployment.js';
import type { Values } from './intrinsics.js';

/** The statements of a policy, in an order of their own, and each list sorted: IAM knows no order. */
export function readPolicy(document: unknown): Statement[] {
  const { Statement: statements } = document as Values;
  return inOrder(list(statements).map((statement) => readStatement(statement as Values)));
}

export function inOrder(statements: readonly Statement[]): Statement[] {
  const keyOf = ({ actions, resources }: Statement) => JSON.stringify([actions, resources]);
  return [...statements].sort((one, other) => keyOf(one).localeCompare(keyOf(other)));
}

function readStatement({ Sid: _, Effect, Action, Resource, Principal, Condition = {}, ...rest }: Values): Statement {
  const unread = Object.keys(rest);
  if (unread.length > 0) throw new Error(`a statement with ${unread.join(', ')}`);
  const conditions = Object.entries(Condition as Readonly<Record<string, Values>>).map(([operator, keys]) => [
    operator,
    Object.fromEntries(Object.entries(keys).map(([key, values]) => [key, texts(values)])),
  ]);
  return {
    effect: String(Effect),
    actions: texts(Action),
    resources: texts(Resource),
    principals: readPrincipals(Principal),
    conditions: Object.fromEntries(conditions),
  };
}

/** In a policy of a resource, `"*"` and `{ "AWS": "*" }` are the same. */
function readPrincipals(principal: unknown): string[] {
  if (principal === undefined) return [];
  const kinds = principal === '*' ? { AWS: '*' } : (principal as Values);
  return Object.entries(kinds).flatMap(([kind, values]) => texts(values).map((value) => `${kind}:${value}`));
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);

const texts = (value: unknown): string[] => list(value).map(String).sort();
