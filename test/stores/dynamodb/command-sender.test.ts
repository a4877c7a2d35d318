import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { dynamoDBLocal, freshTable } from '../../support/dynamodb-local.js';
import { gate } from '../../support/gate.js';
import { call, claim, done, grant } from '../../support/one-run.js';

let client: DynamoDBClient;
let tableName: string;
beforeEach(async () => {
  tableName = await freshTable(dynamoDBLocal().client);
  client = new DynamoDBClient({ endpoint: dynamoDBLocal().endpoint, maxAttempts: 1 });
  onTestFinished(() => client.destroy());
});

type Context = Record<string, unknown>;
const NOTE = Symbol('note');

/** A client's middleware that tells which contexts it sees, and what each held when its turn came. */
function watchContexts(): { readonly contexts: Context[]; readonly held: (string | symbol)[][] } {
  const contexts: Context[] = [];
  const held: (string | symbol)[][] = [];
  client.middlewareStack.add(
    (next, context) => async (args) => {
      contexts.push(context as Context);
      held.push(Reflect.ownKeys(context));
      Object.assign(context, { note: 'left behind', [NOTE]: 'left behind' });
      return next(args);
    },
    { step: 'initialize', name: 'watchContexts' },
  );
  return { contexts, held };
}

describe("the middleware of a user's client", () => {
  test('is gone through by every request, also where it is added or removed after the first', async () => {
    const store = dynamoDBStore({ tableName, client });
    await grant(store, claim({ name: 'before' }));

    const seen: unknown[] = [];
    client.middlewareStack.add(
      (next) => (args) => {
        seen.push((args.input as { Key?: { lockName: string } }).Key?.lockName);
        return next(args);
      },
      { step: 'initialize', name: 'lateComer' },
    );
    await grant(store, claim({ name: 'with' }));
    await grant(store, claim({ name: 'with, again' }));
    client.middlewareStack.remove('lateComer');
    await grant(store, claim({ name: 'without' }));

    expect(seen).toEqual(['with', 'with, again']);
  });

  test('finds a context of its own in each of the requests that are under way at once', async () => {
    const { contexts } = watchContexts();
    const store = dynamoDBStore({ tableName, client });
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((name) => grant(store, claim({ name }))));

    expect(new Set(contexts).size).toBe(names.length);
  });

  test('finds nothing in its context that an earlier request has left there', async () => {
    const { contexts, held } = watchContexts();
    const store = dynamoDBStore({ tableName, client });
    const lease = await grant(store);
    await store.release(lease, done, call());
    await grant(store);

    expect(new Set(contexts).size).toBe(1);
    expect(held.flat()).not.toContain('note');
    expect(held.flat()).not.toContain(NOTE);
    expect(held[2]).toEqual(held[0]);
  });

  test('may hand on no more than the input and the request', async () => {
    client.middlewareStack.add(
      (next) =>
        ({ input, request }) =>
          next({ input, request }),
      { step: 'build', name: 'handOnLittle' },
    );
    const store = dynamoDBStore({ tableName, client });
    await Promise.all(['a', 'b', 'c'].map((name) => grant(store, claim({ name }))));

    expect(await store.acquire(claim({ name: 'b' }), call())).toMatchObject({ status: 'refused', reason: 'locked' });
  });

  test('sends nothing any more for a request that it has ended', async () => {
    const { opened: late, open: goOn } = gate();
    const sent: unknown[] = [];
    const { requestHandler } = client.config;
    const handle = requestHandler.handle.bind(requestHandler);
    vi.spyOn(requestHandler, 'handle').mockImplementation((request, options) => {
      sent.push(JSON.parse(request.body).Key.lockName.S);
      return handle(request, options);
    });
    let handedOn: Promise<unknown> | undefined;
    client.middlewareStack.add(
      (next) => async (args) => {
        if (handedOn) return next(args);
        handedOn = late.then(() => next(args));
        throw Object.assign(new Error('too slow for me'), { name: 'ValidationException' });
      },
      { step: 'initialize', name: 'ownTimeout' },
    );
    const store = dynamoDBStore({ tableName, client });
    await expect(store.acquire(claim({ name: 'ended' }), call())).rejects.toThrow();
    await grant(store, claim({ name: 'next' }));
    goOn();

    await expect(handedOn).rejects.toThrow('its request has ended');
    expect(sent).toEqual(['next']);
  });

  test('sees a refusal as a response that carries the record, and no error', async () => {
    const seen: unknown[] = [];
    client.middlewareStack.add(
      (next) => async (args) => {
        const reply = await next(args);
        const { body } = reply.response as { body: Uint8Array };
        seen.push(JSON.parse(new TextDecoder().decode(body)).Item?.lockName.S);
        return reply;
      },
      { step: 'initialize', name: 'readRefusals' },
    );
    const store = dynamoDBStore({ tableName, client });
    await grant(store, claim({ name: 'held' }));

    expect(await store.acquire(claim({ name: 'held' }), call())).toMatchObject({ status: 'refused', reason: 'locked' });
    expect(seen).toEqual([undefined, 'held']);
  });
});

test('what a tool adds to one command on its way stays with that command', async () => {
  const documents = DynamoDBDocumentClient.from(client);
  const { send } = documents;
  const seen: unknown[] = [];
  let commands = 0;
  vi.spyOn(documents, 'send').mockImplementation((command: object, options: object) => {
    const id = ++commands;
    if (id > 1) {
      (command as UpdateCommand).middlewareStack.add(
        (next) => (args) => {
          seen.push(id);
          return next(args);
        },
        { step: 'initialize', name: 'span', override: true },
      );
    }
    return Reflect.apply(send, documents, [command, options]);
  });
  const store = dynamoDBStore({ tableName, client: documents });
  for (const name of ['a', 'b', 'c']) await grant(store, claim({ name }));

  expect(seen).toEqual([2, 3]);
});

test('a command whose class resolves its middleware in another way goes that way', async () => {
  const own = UpdateCommand.prototype.resolveMiddleware;
  vi.spyOn(UpdateCommand.prototype, 'resolveMiddleware').mockImplementation(function (this: UpdateCommand, _, config) {
    return own.call(this, client.middlewareStack as never, config);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const store = dynamoDBStore({ tableName, client });
  const lease = await grant(store);

  expect(await store.acquire(claim(), call())).toMatchObject({ status: 'refused', reason: 'locked' });
  expect(await store.release(lease, done, call())).toBe('released');
  expect((await grant(store)).fencingToken).toBe(lease.fencingToken + 1);
});
