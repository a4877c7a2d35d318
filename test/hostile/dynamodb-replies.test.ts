import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import fc from 'fast-check';
import { CorruptLockError, LockStoreError } from 'single-execution';
import { dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { describe, expect, test } from 'vitest';
import { anyFailure, anyValue } from '../support/hostile-values.js';
import { ASKED, type LEASE, NOW, oneTry, settled, TOKEN, verbsOf } from './verbs.js';

const OWN = { attemptId: ASKED.attemptId, state: 'held', fencingToken: TOKEN, lockedAt: NOW, lockUntil: NOW + 60_000 };

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const mock = mockClient(client);
const store = dynamoDBStore({ tableName: 'locks', client });
const admin = dynamoDBAdminStore({ tableName: 'locks', client });
/** Sets the answer to the next commands: to that of the verb, and to later ones, such as a cancel. */
const answers = (answer: () => unknown) => mock.send.callsFake(async () => answer() as never);

const VERBS = { ...verbsOf(store, admin), list: () => admin.list(oneTry()) };

/** Values into which the SDK turns attributes. */
const anyAttribute = fc.oneof(fc.jsonValue(), fc.bigInt(), fc.double(), fc.uint8Array(), fc.constant(new Set(['a'])));
/** Items of this attempt with one wrong attribute, as plain values or in DynamoDB's own form (raw). */
const nearItem = fc
  .tuple(fc.constantFrom(...Object.keys(OWN)), anyAttribute, fc.boolean())
  .map(([attribute, value, isRaw]) => {
    const item = { ...OWN, [attribute]: value };
    const raw = Object.entries(item).map(([key, one]) => [
      key,
      typeof one === 'string' ? { S: one } : { N: `${Number.isFinite(one) ? one : 'x'}` },
    ]);
    return isRaw ? Object.fromEntries(raw) : item;
  });
const anyItem = fc.oneof(nearItem, anyValue);
const nearOutput = fc.record(
  { Attributes: anyItem, Item: anyItem, Items: fc.oneof(fc.array(anyItem), anyValue), $metadata: anyValue },
  { requiredKeys: [] },
);
const refusal = fc
  .record({ Item: anyItem, $metadata: anyValue, message: anyValue }, { requiredKeys: [] })
  .map((details) => ({ ...details, name: 'ConditionalCheckFailedException' }));

function expectNamed(reason: unknown): void {
  const type = (reason as { name?: unknown })?.name === 'CorruptLockError' ? CorruptLockError : LockStoreError;
  expect(reason).toBeInstanceOf(type);
}

describe.each(Object.entries<() => Promise<unknown>>(VERBS))(
  'F83 whatever a client of DynamoDB makes of %s',
  (verb, ask) => {
    test('counts when it is an answer of the SDK, and is a named error otherwise', async () => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(nearOutput, nearOutput, anyValue), async (output) => {
          answers(() => output);
          const result = await settled(ask);
          if (result.status === 'rejected') {
            expectNamed(result.reason);
            return;
          }
          // An answer without attributes still proves that the write was applied.
          expect(output).toBeTypeOf('object');
          const { status, lease } = (result.value ?? {}) as { status?: unknown; lease?: typeof LEASE };
          expect(status).not.toBe('lost');
          if (verb !== 'acquire') return;
          expect(status).toBe('acquired');
          expect(Number.isSafeInteger(lease?.fencingToken)).toBe(true);
          expect(lease).toMatchObject({ attemptId: ASKED.attemptId, lockedAtMs: NOW, lockUntilMs: NOW + 62_000 });
        }),
        { numRuns: 400 },
      );
    });

    test('is a named error where it is a failure of any kind, and what may have been applied is cancelled', async () => {
      await fc.assert(
        fc.asyncProperty(anyFailure, async (thrown) => {
          mock.resetHistory();
          answers(() => {
            throw thrown;
          });
          const result = await settled(ask);
          expect(result).toMatchObject({
            status: 'rejected',
            reason: { name: 'LockStoreError', operation: verb, code: 'UNAVAILABLE' },
          });
          expect(mock.calls()).toHaveLength(verb === 'acquire' ? 2 : 1);
        }),
      );
    });

    test('is no grant where it is a refusal of any kind, but for this attempt’s own whole record', async () => {
      let granted = 0;
      await fc.assert(
        fc.asyncProperty(refusal, async (thrown) => {
          answers(() => {
            throw thrown;
          });
          const result = await settled(ask);
          if (result.status === 'rejected') {
            expectNamed(result.reason);
            return;
          }
          if ((result.value as { status?: unknown } | undefined)?.status !== 'acquired') return;
          granted++;
          const { lease } = result.value as { lease: typeof LEASE };
          expect(lease.attemptId).toBe(ASKED.attemptId);
          for (const number of [lease.fencingToken, lease.lockedAtMs, lease.lockUntilMs]) {
            expect(Number.isSafeInteger(number) && number >= 0).toBe(true);
          }
        }),
        { numRuns: 400, examples: [[{ name: 'ConditionalCheckFailedException', Item: OWN }]] },
      );
      expect(granted > 0).toBe(verb === 'acquire');
    });
  },
);
