import { errorName, leavingOut, readThrown, readThrownText } from '../values/thrown.js';
import { finalProblem } from './final-failure.js';

/*
 * Errors that a client or a wrapper has put around other errors. The server's own code is often only in the innermost.
 */

/** The properties in which drivers, query builders and ORMs keep the error that they wrap, or what they know about it. */
const WRAPPED = [
  'cause',
  // Sequelize; TypeORM; Objection; MikroORM.
  ...['original', 'parent', 'driverError', 'nativeError', 'previous'],
  // Prisma, without and with a driver adapter.
  ...['meta', 'driverAdapterError'],
  // Neon, over HTTP and over WebSockets.
  ...['sourceError', 'error'],
  // Clients that keep the fields of the server's answer apart.
  'fields',
];
const MOST_ERRORS = 16;

/** Returns an error and all errors inside of it, the outer ones first. Reads at most 16, each once, and never throws. */
function errorChain(error: unknown): readonly unknown[] {
  const chain = new Set([error]);
  for (const one of chain) {
    for (const property of WRAPPED) {
      const inner = readThrown(one, property);
      if (typeof inner === 'object' && inner !== null && chain.size < MOST_ERRORS) chain.add(inner);
    }
  }
  return [...chain];
}

/** Returns the errors that an `AggregateError` holds, such as one for each address of a host; else undefined. */
function aggregatedErrors(error: unknown): readonly unknown[] | undefined {
  if (readThrownText(error, 'name') !== 'AggregateError') return undefined;
  try {
    const errors = [...(readThrown(error, 'errors') as unknown[])].slice(0, MOST_ERRORS);
    return errors.length > 0 ? errors : undefined;
  } catch {
    // The list cannot be read, so it counts as absent.
    return undefined;
  }
}

/** The deepest nest of errors that hold several errors. */
const DEEPEST = 3;

/**
 * Judges an error by its chain. An `AggregateError` has an error for each try: one that may have been applied is enough
 * for doubt.
 */
export function judgeAll<J extends { readonly isUnsent?: boolean }>(
  error: unknown,
  judge: (chain: readonly unknown[]) => J,
  depth: number = DEEPEST,
): J {
  const chain = errorChain(error);
  const several = depth > 0 ? chain.map(aggregatedErrors).find((errors) => errors !== undefined) : undefined;
  const judged = several?.map((one) => judgeAll(one, judge, depth - 1)) ?? [];
  return judged.find(({ isUnsent }) => isUnsent !== true) ?? judged[0] ?? judge(chain);
}

const UNSENT = 'ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH';
const UNSENT_CODE = new RegExp(`^(${UNSENT})$`);
/**
 * The words of Node for a connection that was never made, as clients without a code of their own repeat them. They
 * count only at the beginning: further on, a message can contain a statement with the name of a lock.
 */
const UNSENT_WORDS = new RegExp(
  `^([A-Z_]+: )?((connect|getaddrinfo) (${UNSENT})\\b|Client network socket disconnected before secure TLS)`,
);
/** An error on an open connection: the request may have been sent before the host became unreachable. */
const ON_A_CONNECTION = /^(read|write)/;

/** Node's words for a connection that failed: a host and its port. */
function connectionWords(error: unknown): string | undefined {
  return /^(connect|getaddrinfo|read|write) E[A-Z_]+( \S+)?$/.exec(readThrownText(error, 'message'))?.[0];
}

/**
 * Makes the error that callers see in place of a client's error: with the same name, and with Node's words for a
 * connection, its address and its port. Any other message is left out.
 *
 * @param why says why the message is left out
 */
export function shownCause(error: unknown, code: string, why: string): Error {
  const words = connectionWords(error);
  const cause = Object.assign(new Error(words ?? why), { name: errorName(error), code });
  if (words === undefined) return leavingOut(cause);
  return Object.assign(cause, { address: readThrown(error, 'address'), port: readThrown(error, 'port') });
}

/** Whether a chain of errors proves by a network error that the request was never sent. */
export function isUnsentIn(chain: readonly unknown[]): boolean {
  const texts = (property: string) => chain.map((one) => readThrownText(one, property));
  const isOpen = [...texts('syscall'), ...texts('message')].some((text) => ON_A_CONNECTION.test(text));
  if (isOpen) return false;
  return (
    texts('syscall').includes('connect') ||
    texts('code').some((code) => UNSENT_CODE.test(code)) ||
    texts('message').some((message) => UNSENT_WORDS.test(message))
  );
}

/** Whether a network error, also one behind wrappers, proves that the request was never sent. */
export function isUnsentBehind(error: unknown): boolean {
  return judgeAll(error, (chain) => ({ isUnsent: isUnsentIn(chain) })).isUnsent;
}

/** Says why no second try can cure an error of a chain, and the remedy: see `finalProblem`. */
export function finalProblemIn(chain: readonly unknown[]): string | undefined {
  const single = chain.filter((one) => readThrown(one, 'errors') === undefined);
  return single.map((one) => finalProblem(one, 0)).find((problem) => problem !== undefined);
}
