import type { ResponseStack } from './dynamodb-response-time.js';

/**
 * Has a command fail whose answer is empty, as that of a gateway may be. The SDK takes it for a success that tells
 * nothing, and so would an acquire: DynamoDB itself always answers with an object.
 *
 * @returns the command
 */
export function refuseEmptyAnswer<C extends { readonly middlewareStack: object }>(command: C): C {
  (command.middlewareStack as ResponseStack).add(
    (next) => async (args) => {
      const reply = await next(args);
      const { headers } = reply.response as { readonly headers?: Readonly<Record<string, string | undefined>> };
      if (headers?.['content-length'] === '0') throw new EmptyAnswer('the answer has no body');
      return reply;
    },
    { step: 'deserialize', priority: 'low', name: 'singleExecutionEmptyAnswer', override: true },
  );
  return command;
}

/** Whether the request was applied is not known. */
class EmptyAnswer extends Error {
  override readonly name = 'EmptyAnswer';
}
