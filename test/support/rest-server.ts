import { fileURLToPath } from 'node:url';
import { HOST, type KeptServer, startServer } from './kept-server.js';

const SERVER = '@humanwhocodes/upstash-redis-server';
const START_MS = 180_000;
const TOKEN = 'token-of-the-tests';

/** A server that other people wrote. It speaks Upstash's REST in front of a Redis. */
export interface RestServer extends KeptServer {
  readonly url: string;
  readonly token: string;
}

/** Starts the published server as it is. It ends with `stop()` or with this process. */
export async function startRestServer(redisUrl: string): Promise<RestServer> {
  const program = fileURLToPath(new URL('server.js', import.meta.resolve(SERVER)));
  const urlOf = (port: number) => `http://${HOST}:${port}`;
  const { port, stop } = await startServer({
    name: 'rest',
    ready: async (port) => (await fetch(urlOf(port), { method: 'POST' }).catch(() => undefined))?.status === 401,
    startMs: START_MS,
    plan: (_, port) => ({
      command: [process.execPath, program],
      env: { PORT: port, URS_TOKEN: TOKEN, REDIS_URL: redisUrl },
    }),
  });
  return { url: urlOf(port), token: TOKEN, stop };
}
