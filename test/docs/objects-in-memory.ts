import { type LockNamespace, LockObject } from 'single-execution/durable-objects';

/*
 * Objects in this process, where the answers of an object are changed, or a page's example only has to run. It is no
 * proof of anything that the platform does.
 */

/** @param change changes the answer of an object, which is JSON */
export function objectsInMemory(change: (answer: string) => string = (answer) => answer): LockNamespace {
  const objects = new Map<string, LockObject>();
  return {
    idFromName: (name) => ({ name }),
    get(id) {
      const { name } = id as { readonly name: string };
      const object = objects.get(name) ?? new LockObject(stateInMemory());
      objects.set(name, object);
      return {
        async fetch(_, { body }) {
          const response = await object.fetch({ text: async () => body });
          return new Response(change(await response.text()));
        },
      };
    },
  };
}

function stateInMemory(): ConstructorParameters<typeof LockObject>[0] {
  const values = new Map<string, unknown>();
  return {
    storage: {
      get: async (key) => values.get(key),
      async put(key, value) {
        values.set(key, structuredClone(value));
      },
      list: async ({ prefix, startAfter = '', limit }) => {
        const keys = [...values.keys()].sort().filter((key) => key.startsWith(prefix) && key > startAfter);
        return new Map(keys.slice(0, limit).map((key) => [key, values.get(key)]));
      },
    },
    blockConcurrencyWhile: (callback) => callback(),
  };
}
