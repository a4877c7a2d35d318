import { timingSafeEqual } from 'node:crypto';

/** The parts of a request that are checked before anything else. */
export interface Knock {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface House {
  readonly port: number;
  readonly token: string;
  readonly readOnly: boolean;
}

export interface Refusal {
  readonly status: 401 | 403;
  readonly why: string;
}

/**
 * Why a request is refused; undefined if it may pass. A page of another site is refused for its Host, if its own name
 * leads to this machine (DNS rebinding), for its Origin, and because it does not know the token. The console's page
 * itself holds no data and needs no token.
 */
export function refusalOf({ method, path, headers }: Knock, { port, token, readOnly }: House): Refusal | undefined {
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((host) => new URL(`http://${host}:${port}`).host);
  const { host, origin, authorization } = headers;
  if (!hosts.includes(String(host))) return { status: 403, why: 'this Host is not served' };
  if (origin !== undefined && !hosts.some((own) => origin === `http://${own}`)) {
    return { status: 403, why: 'pages of other origins are not served' };
  }
  if (readOnly && method !== 'GET') return { status: 403, why: 'the console was started with --read-only' };
  if (path === '/' && method === 'GET') return undefined;
  if (!isSame(String(authorization), `Bearer ${token}`)) {
    return { status: 401, why: 'the token is missing or wrong: open the address that the console has printed' };
  }
  return undefined;
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
