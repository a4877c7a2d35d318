import { readThrown, readThrownText } from '../values/thrown.js';

/*
 * Failures that another try cannot cure: of TLS, and of an address or an option that no request can be made with.
 * Recognised by the codes of Node's system errors, which undici, Bun and most clients keep, or keep in the cause.
 */

/** Certificates that are refused, by either side, and two sides that cannot agree how to talk. */
const TLS =
  /^(CERT|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|INVALID_(CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MIS|ERR_TLS_(CERT|INVALID)|ERR_OSSL)|^E(RR_SSL|PROTO).*(CERTIFICATE|UNKNOWN_CA|_VERSION|HANDSHAKE_FAIL|TOO_LONG|UNSUPPORTED|NO_PROTO|UNRECOGNIZED_NAME|HTTP_REQUEST)/;
const OPTIONS =
  /^(ERR_(INVALID_(URL|PROTOCOL|CHAR|HTTP|IP|ADDRESS|ARG_\w+_THE_"OPTIONS)|UNESCAPED|SOCKET_BAD|HTTP_INVALID_HEADER)|UNKNOWN_SCHEME|BAD_PORT|INVALID_URL|FAILED_TO_PARSE_URL)/;
const FILE = /^(ENOENT|ENOTDIR|EISDIR|EACCES|EPERM)$/;
/** No host has such a name, so the failed look-up is no outage of the name server. */
const NO_HOST = /[^\w.-]|\.\./;
const DEEPEST_CAUSE = 5;

/**
 * Says why no second try of a request can cure this error, and the remedy; undefined for any other error. Such an error
 * proves that the server applied nothing. The text has no address, value or message of a client in it.
 *
 * @param depth how many causes of the error are read
 */
export function finalProblem(error: unknown, depth: number = DEEPEST_CAUSE): string | undefined {
  // A host with several addresses has an error for each. One that may pass is enough for another try.
  const errors = readThrown(error, 'errors');
  if (Array.isArray(errors) && errors.length > 0) {
    const problems = errors.map((one) => finalProblem(one, depth - 1));
    return problems.includes(undefined) ? undefined : problems[0];
  }
  const code = readThrownText(error, 'code');
  const hostname = readThrownText(error, 'hostname');
  const isFile = FILE.test(code) && /^(open|read)$/.test(readThrownText(error, 'syscall'));
  // Older versions of Node have one code for all failures of TLS, one code is for all wrong arguments, and undici has no
  // code for a URL.
  const text = /^(EPROTO|ERR_INVALID_ARG.*)?$/.test(code) ? `${code} ${readThrownText(error, 'message')}`.trim() : code;
  const words = text.toUpperCase().replaceAll(' ', '_');
  // Without a code, a message such as "Unable to parse response body" is not of TLS.
  if (code !== '' && TLS.test(words)) return `TLS failed (${code}); correct the host, the port or the certificates`;
  if (isFile || OPTIONS.test(words) || (code === 'ENOTFOUND' && NO_HOST.test(hostname))) {
    return `no request can be made (${code || 'URL'}); correct the address and the options of the client`;
  }
  const cause = readThrown(error, 'cause');
  return cause === undefined || depth <= 0 ? undefined : finalProblem(cause, depth - 1);
}
