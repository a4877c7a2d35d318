import { readThrown, readThrownText } from '../values/thrown.js';

/*
 * Failures that another try cannot cure: of TLS, of an address, and of an option or a file that no request can be made
 * without. Recognised by the codes of Node's system errors, which undici, Bun and most clients keep, or keep in the
 * cause. Where Node has one code for several failures, or undici none, the message decides.
 */

/**
 * Matches the code, the system call and the message of such an error, in this order: a certificate that this side
 * refuses, or keys that cannot be read; two sides that cannot agree how to talk, or a certificate that the other side
 * refuses; what HTTP cannot send; a file that is not there, but not a socket, which may come; a name that no host has,
 * which is not an outage of the name server.
 */
const FINAL =
  /^(\w*CERT|UNABLE_TO_|INVALID_CA|ERR_(TLS_INV|OSSL|INVALID_([CHIPU]|ARG.*"options)|UNESC|SOCKET_BAD)|E(RR_SSL|PROTO).*(certif|unknown.ca|.version|handshake.fail|too.long|unsupp)|invalid url|(ENO(ENT|TDIR)|EISDIR|EACCES|EPERM) (open|read)|ENOTFOUND .* ENOTFOUND \S*( |\.\.))/i;
const DEEPEST_CAUSE = 5;

/**
 * Says why no second try of a request can cure this error, and the remedy; undefined for any other error. Such an error
 * proves that the server applied nothing. The text has no address, value or message of a client in it.
 *
 * @param depth how many causes of the error are read
 */
export function finalProblem(error: unknown, depth: number = DEEPEST_CAUSE): string | undefined {
  const words = ['code', 'syscall', 'message'].map((field) => readThrownText(error, field)).filter(Boolean);
  if (FINAL.test(words.join(' '))) {
    return `no request can be sent (${readThrownText(error, 'code') || 'URL'}); correct the address, certificates or options of the client`;
  }
  const cause = readThrown(error, 'cause');
  return cause && depth ? finalProblem(cause, depth - 1) : undefined;
}
