import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { StoreCall } from '../../core/ports/lock-store.js';
import { shapeOf, UnexpectedAnswer } from '../../core/request/unexpected-answer.js';
import { readThrown } from '../../core/values/thrown.js';
import { answerOf, type Response, type ResponseTime, timeOf } from './answer.js';
import { codeOf, NotMade, ownError } from './errors.js';

/** How far the tries of a call have come. A client whose `send` is replaced, such as a mock, begins none. */
export interface Progress {
  isBegun: boolean;
  /** Whether a request was handed to the client's handler, and so may have been sent. */
  isSent: boolean;
}

/** What a try gets from its call: the clock to read, the signal that aborts the try, and where to note its progress. */
export interface Try extends Pick<StoreCall, 'clock' | 'signal'> {
  readonly progress: Progress;
}

/** The parts of a command of the document client that are used here. Each command has its own types. */
interface Command {
  readonly middlewareStack: object;
  readonly resolveMiddleware: unknown;
}
type Handler = (args: { readonly request: Request }) => Promise<{ readonly response?: Response }>;
type Request = { readonly protocol?: string; readonly hostname?: string };
interface Stack {
  add(
    middleware: (next: Handler) => Handler,
    options: { step: 'initialize' | 'deserialize'; priority: 'low'; name: string; override: true },
  ): void;
}
interface Marshals {
  addMarshallingMiddleware?(configuration: object): void;
}

/**
 * Sends a command once. Adds middleware to this command only: the client is not changed, and the body of a response is
 * not consumed.
 *
 * @param field the member of the output that holds the data, if there is any
 * @returns the output, and a function that returns the times of the latest response, errors included
 */
export function sending<O extends object>(
  client: DynamoDBDocumentClient,
  command: Command,
  field: keyof O,
  { clock, signal, progress }: Try,
): { readonly output: Promise<O>; time(): ResponseTime } {
  const sentMono = clock.monotonic();
  const own: Progress = { isBegun: false, isSent: false };
  let latest: ResponseTime = { sentMono };
  const add = (step: 'initialize' | 'deserialize', middleware: (next: Handler) => Handler) =>
    // The document client builds a command's stack twice; the second copy replaces the first.
    (command.middlewareStack as Stack).add(middleware, {
      step,
      priority: 'low',
      name: `singleExecution-${step}`,
      override: true,
    });
  add('initialize', (next) => (args) => {
    own.isBegun = progress.isBegun = true;
    return next(args);
  });
  add('deserialize', (next) => async (args) => {
    refuseAddress(args.request);
    // The call has ended while the client was busy, for example with its credentials.
    if (signal.aborted) throw new NotMade('ACCESS_DENIED', undefined);
    own.isSent = progress.isSent = true;
    const sentWall = clock.now();
    const reply = await next(args);
    const response = reply?.response;
    if (response?.statusCode === undefined) throw new UnexpectedAnswer(shapeOf(response));
    latest = timeOf(response, sentMono, [sentWall, clock.now()]);
    return reply;
  });
  unmarshalExactly(command);
  const send = async () => {
    try {
      const output = await client.send(command as never, { abortSignal: signal as AbortSignal });
      return answerOf(output as O, field, latest);
    } catch (error) {
      if (own.isBegun && !own.isSent) throw await notMade(client, error);
      throw ownError(error);
    }
  };
  return { output: send(), time: () => latest };
}

/**
 * Has numbers wrapped, whatever the user's client does with them: a document client can make bigints, texts or objects
 * of its own, which cannot be told from other values, and fails at large numbers.
 */
function unmarshalExactly(of: Command): void {
  const command: Marshals = of as object;
  const add = command.addMarshallingMiddleware;
  command.addMarshallingMiddleware = () =>
    add?.call(command, { translateConfig: { unmarshallOptions: { wrapNumbers: true } } });
}

/** @throws NotMade for an address that HTTP has not; `localhost:8000` is one, with `localhost:` as its protocol */
function refuseAddress({ protocol, hostname }: Request): void {
  if (!/^https?:$/.test(protocol ?? '') || !hostname) throw new NotMade('INVALID_REQUEST', undefined, 'endpoint');
}

/** Judges a failure before a request was made: of the client's configuration, or of its credentials. */
async function notMade({ config }: DynamoDBDocumentClient, error: unknown): Promise<NotMade> {
  if (error instanceof NotMade) return error;
  if (/^(EndpointError|ERR_INVALID_URL)$/.test(codeOf(error))) return new NotMade('INVALID_REQUEST', error, 'endpoint');
  for (const part of ['region', 'endpoint', 'accountIdEndpointMode']) {
    const read = readThrown(config, part);
    try {
      if (typeof read === 'function') await read();
    } catch (cause) {
      return new NotMade('INVALID_REQUEST', cause, part);
    }
  }
  return new NotMade('ACCESS_DENIED', error);
}
