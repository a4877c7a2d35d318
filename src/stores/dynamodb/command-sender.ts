import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Signal } from '../../core/values/signal.js';
import { type Exchange, type RequestHandler, send } from './exchange.js';

/*
 * What is used of the SDK's middleware, public in every version. A client's stack and a command's own are concatenated
 * and resolved into one function, which takes the input through all of them to the request handler.
 */
interface Stack {
  concat(from: Stack): Stack;
  resolve(handler: Handler, context: Context): Handler;
  identify(): readonly string[];
}
type Handler = (args: Args) => Promise<unknown>;
type Context = Record<string, unknown>;
/** What one middleware hands to the next. The SDK's add to it; a user's may hand on less. */
interface Args {
  readonly input: unknown;
  readonly exchange?: Exchange;
  readonly request?: unknown;
}
interface Config {
  readonly requestHandler: RequestHandler;
}
interface Command {
  input: unknown;
  readonly middlewareStack: Stack;
  resolveMiddleware(stack: Stack, config: Config, options?: { readonly abortSignal: Signal }): Handler;
}

/** A resolved stack. It serves one request at a time, because its middleware shares one context. */
interface Chain {
  /** The client's middleware that it was made of. */
  readonly madeOf: string;
  /** The command that it was made for: older versions of the SDK send its input. */
  readonly command: Command;
  readonly handler: Handler;
  readonly context: Context;
  readonly freshContext: Context;
  /** What it serves now, and whether that has come through all middleware. */
  serving: Exchange | undefined;
  isThrough: boolean;
}

/**
 * Sends a command and reads its exchange. A mock in the client's place is sent the command as ever.
 *
 * @returns the command's output
 */
export type SendCommand = <O>(command: object, exchange: Exchange) => Promise<O>;

/**
 * Sends commands through one client. To put the middleware together for each command, as the SDK does, takes longer
 * than to go through it. Here that is done anew only when the client's middleware has changed
 * (docs/adr/0010-middleware-put-together-once.md).
 */
export function commandSender(client: DynamoDBDocumentClient): SendCommand {
  const idle = new Map<unknown, Chain[]>();

  const resolveOnce = (command: Command, exchange: Exchange, stack: Stack, config: Config): Handler => {
    const { constructor: kind, input } = command;
    // What a tool that replaces `send` has added to a command is for that command alone.
    const isPlain = command.middlewareStack.identify().length === 0;
    const chains = (isPlain && idle.get(kind)) || [];
    if (isPlain) idle.set(kind, chains);
    const madeOf = stack.identify().join();
    const last = chains.pop();
    const chain = last?.madeOf === madeOf ? last : chainOf(command, stack, config, madeOf);
    if (chain === undefined) return ownMiddleware(command, stack, config, { abortSignal: exchange.signal });
    const { handler, context, freshContext } = chain;
    chain.command.input = input;
    Object.assign(chain, { serving: exchange, isThrough: false });
    return async () => {
      try {
        return await handler({ input, exchange });
      } finally {
        chain.serving = undefined;
        for (const key of Reflect.ownKeys(context)) Reflect.deleteProperty(context, key);
        Object.assign(context, freshContext);
        if (chain.isThrough) chains.push(chain);
      }
    };
  };

  return (command, exchange) => {
    const resolveMiddleware = (stack: Stack, config: Config) =>
      resolveOnce(command as Command, exchange, stack, config);
    Object.assign(command, { resolveMiddleware });
    return client.send(command as never, { abortSignal: exchange.signal } as never) as Promise<never>;
  };
}

/**
 * Has the SDK put a command's middleware together, around the exchange instead of its own request handler. Undefined
 * where an SDK to come does so in another way: then each command goes its own way, and its response tells no time.
 */
function chainOf(command: Command, stack: Stack, config: Config, madeOf: string): Chain | undefined {
  let chain: Chain | undefined;
  const exchanging: Handler = async ({ request, exchange }) => {
    const serving = chain?.serving;
    // Middleware may end a request and still hand it on, perhaps with the input of a later one.
    const hasEnded = exchange !== undefined && exchange !== serving;
    if (!chain || !serving || hasEnded) throw new Error('its request has ended; nothing is sent');
    chain.isThrough = exchange !== undefined;
    return send(config.requestHandler, request, serving);
  };
  const aroundExchange = (inner: Stack): Stack => ({
    ...inner,
    concat: (from) => aroundExchange(inner.concat(from)),
    resolve(_, context) {
      const handler = inner.resolve(exchanging, context);
      const freshContext = { ...context };
      chain = { madeOf, command, handler, context, freshContext, serving: undefined, isThrough: false };
      return handler;
    },
  });
  ownMiddleware(command, aroundExchange(stack), config);
  return chain;
}

/** As the command's class resolves it: the command itself has another way by now. */
function ownMiddleware(command: Command, ...args: Parameters<Command['resolveMiddleware']>): Handler {
  return (Object.getPrototypeOf(command) as Command).resolveMiddleware.apply(command, args);
}
