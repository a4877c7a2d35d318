import type { ResponseStack } from './response-time.js';

interface Response {
  readonly statusCode?: number;
  body?: unknown;
}

const OPENING_BRACE = 0x7b;

/**
 * Has a command fail whose answer holds no object, as that of a gateway may be. The SDK takes it for a success that
 * tells nothing, and so would an acquire: DynamoDB itself always answers with an object.
 *
 * @returns the command
 */
export function refuseEmptyAnswer<C extends { readonly middlewareStack: object }>(command: C): C {
  (command.middlewareStack as ResponseStack).add(
    (next) => async (args) => {
      const reply = await next(args);
      const response = reply.response as Response;
      const { statusCode = 0, body } = response;
      if (statusCode >= 200 && statusCode < 300 && (isStream(body) || body instanceof Blob)) {
        const bytes = await bytesOf(body);
        if (bytes[0] !== OPENING_BRACE) throw new EmptyAnswer('the answer holds no object');
        response.body = bytes;
      }
      return reply;
    },
    { step: 'deserialize', priority: 'low', name: 'singleExecutionEmptyAnswer', override: true },
  );
  return command;
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

async function bytesOf(body: AsyncIterable<Uint8Array> | Blob): Promise<Uint8Array> {
  if (body instanceof Blob) return new Uint8Array(await body.arrayBuffer());
  let bytes = new Uint8Array();
  for await (const chunk of body) {
    const longer = new Uint8Array(bytes.length + chunk.length);
    longer.set(bytes);
    longer.set(chunk, bytes.length);
    bytes = longer;
  }
  return bytes;
}

/** Whether the request was applied is not known. */
class EmptyAnswer extends Error {
  override readonly name = 'EmptyAnswer';
}
