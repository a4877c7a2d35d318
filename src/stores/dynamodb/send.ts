import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { StoreCall } from '../../core/ports/lock-store.js';
import { readThrown } from '../../core/values/thrown.js';
import { answerOf, type Response, type ResponseTime, timeOf } from './answer.js';
import { codeOf, NotMade, ownError } from './errors.js';

/** How far a client has come. One whose `send` is replaced, such as a mock, begins nothing. */
export interface Progress {
  /** `sent`: a request was handed to the client's handler, and so may have been sent. */
  stage?: 'begun' | 'sent';
}

/** What a try gets from its call: the clock to read, the signal that aborts the try, and where to note its progress. */
export interface Try extends Pick<StoreCall, 'clock' | 'signal'> {
  readonly progress: Progress;
}

/** The parts of a command of the document client that are used here. Each command has its own types. */
interface Command {
  readonly middlewareStack: {
    add(
      middleware: (next: Handler) => Handler,
      options: { step: 'deserialize'; priority: 'low'; name: string; override: true },
    ): void;
  };
  /** Called when a client begins to send the command, with the settings of that client. */
  addMarshallingMiddleware(configuration: object): void;
}
type Handler = (args: { readonly request: Request }) => Promise<{ readonly response: Response }>;
type Request = { readonly protocol?: string; readonly hostname?: string };

/**
 * Sends a command once. Changes this command only: the client is left as it is, and the body of a response is not
 * consumed. Numbers come wrapped, whatever the user's client does with them: a document client can make texts or
 * objects of its own, which cannot be told from other values, and fails at large numbers.
 *
 * @param field the member of the output that holds the data, if there is any
 * @returns the output, and a function that returns the times of the latest response, errors included
 */
export function sending<O extends object>(
  client: DynamoDBDocumentClient,
  documentCommand: object,
  field: keyof O,
  { clock, signal, progress }: Try,
): { readonly output: Promise<O>; time(): ResponseTime } {
  const command = documentCommand as Command;
  const sentMono = clock.monotonic();
  let stage: Progress['stage'];
  let latest: ResponseTime = { sentMono };
  const { addMarshallingMiddleware } = command;
  command.addMarshallingMiddleware = () => {
    stage = 'begun';
    progress.stage ??= stage;
    addMarshallingMiddleware.call(command, { translateConfig: { unmarshallOptions: { wrapNumbers: true } } });
  };
  command.middlewareStack.add(
    (next) => async (args) => {
      const { protocol, hostname } = args.request;
      // `localhost:8000` is a URL, with the protocol `localhost:` and no host. If the call has ended while the client
      // was busy, for example with its credentials, nothing is sent either.
      if (signal.aborted || !hostname || !protocol?.startsWith('http')) throw new NotMade(undefined, 'endpoint');
      progress.stage = stage = 'sent';
      const sentWall = clock.now();
      const reply = await next(args);
      const { response } = reply;
      latest = timeOf(response, sentMono, [sentWall, clock.now()]);
      return reply;
    },
    // The document client builds a command's stack twice; the second copy replaces the first.
    { step: 'deserialize', priority: 'low', name: 'singleExecutionResponseTime', override: true },
  );
  const send = async () => {
    try {
      return answerOf(
        (await client.send(command as never, { abortSignal: signal as AbortSignal })) as O,
        field,
        latest,
      );
    } catch (error) {
      throw stage === 'begun' ? await notMade(client, error) : ownError(error);
    }
  };
  return { output: send(), time: () => latest };
}

/** Judges a failure before a request was made: of the client's configuration, or of its credentials. */
async function notMade({ config }: DynamoDBDocumentClient, error: unknown): Promise<NotMade> {
  if (error instanceof NotMade) return error;
  if (/^(EndpointError|ERR_INVALID_URL)$/.test(codeOf(error))) return new NotMade(error, 'endpoint');
  for (const part of ['region', 'endpoint', 'accountIdEndpointMode']) {
    try {
      await (readThrown(config, part) as (() => unknown) | undefined)?.();
    } catch (cause) {
      return new NotMade(cause, part);
    }
  }
  return new NotMade(error);
}
