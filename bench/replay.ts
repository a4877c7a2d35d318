import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The part that is kept of an answer from the SDK's HTTP handler. */
interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: AsyncIterable<Uint8Array>;
}

const REQUEST = /"(?:lockName|UpdateExpression)":(?:\{"S":)?"[^"]*"/g;

/**
 * Takes the network out of a client. After `start` each request gets an old answer with a new date: the answer of the
 * real server to the last request for the same lock with the same expression. The client does the rest as before: it
 * marshals, signs and parses.
 */
export function replayed(client: DynamoDBClient): { start(): void } {
  const answers = new Map<string, Omit<HttpAnswer, 'body'> & { readonly body: Uint8Array }>();
  let isReplaying = false;
  client.middlewareStack.add(
    (next) => async (args) => {
      const { request } = args as { request: { body: Uint8Array } };
      const key = String(new TextDecoder().decode(request.body).match(REQUEST));
      const kept = answers.get(key);
      if (isReplaying) {
        if (!kept) throw new Error(`no answer is kept for ${key}`);
        return { response: { ...kept, headers: { ...kept.headers, date: new Date().toUTCString() } } } as never;
      }
      const result = await next(args);
      const { statusCode, headers, body } = result.response as HttpAnswer;
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      answers.set(key, { statusCode, headers, body: Buffer.concat(chunks) });
      return { ...result, response: { ...(result.response as object), body: Buffer.concat(chunks) } } as never;
    },
    { step: 'deserialize', priority: 'low', name: 'replay' },
  );
  return {
    start() {
      isReplaying = true;
    },
  };
}
