import { expect, test } from 'vitest';
import { setVariables } from '../../infra/constructs/lock-environment.js';
import { ownFunction } from './digest.js';
import { appStack, propertiesOf, templateOf } from './synthesised.js';

const wanted = { LOCK_TABLE: 'locks', LOCK_AT_LEAST_FOR: 'PT1M' };

function variablesOf(environment: Record<string, string>) {
  const stack = appStack();
  setVariables(ownFunction(stack, 'Mine', { environment }), wanted);
  return propertiesOf(templateOf(stack), 'AWS::Lambda::Function')[0].Environment.Variables;
}

test.each<[string, Record<string, string>]>([
  ['with other variables', { MAILER: 'https://mail.example' }],
  ['that has one of them, of the same value', { LOCK_TABLE: 'locks' }],
])('a function %s gets the missing ones', (_, environment) => {
  expect(variablesOf(environment)).toEqual({ ...environment, ...wanted });
});

test.each<[string, Record<string, string>, string]>([
  ['another value', { LOCK_TABLE: 'shop' }, 'environment has LOCK_TABLE, which follows from lockTable: leave it out'],
  [
    'a value where there is none',
    { LOCK_AT_MOST_FOR: 'PT1S' },
    'environment has LOCK_AT_MOST_FOR, which follows from lockAtMostFor: leave it out',
  ],
])('a function with %s is refused', (_, environment, message) => {
  expect(() => variablesOf(environment)).toThrow(new TypeError(message));
});
