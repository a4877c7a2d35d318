import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './kept-server.js';

const SERVER = '@humanwhocodes/upstash-redis-server';
const START_MS = 180_000;

/** Speaks Upstash's REST in front of a Redis, and was written by others. */
export interface RestServer {
  readonly url: string;
  readonly token: string;
  stop(): Promise<void>;
}

/** Starts the published server as it comes, in a process of its own, which ends with `stop()` or with this one. */
export async function startRestServer(redisUrl: string): Promise<RestServer> {
  const [port, token] = [await freePort(), 'token-of-the-tests'];
  const program = fileURLToPath(new URL('server.js', import.meta.resolve(SERVER)));
  const env = { ...process.env, PORT: String(port), URS_TOKEN: token, REDIS_URL: redisUrl };
  const server = spawn(process.execPath, [program], { env, stdio: 'ignore' });
  const endWithUs = () => server.kill('SIGKILL');
  process.once('exit', endWithUs);
  const url = `http://127.0.0.1:${port}`;
  await untilItAnswers(url, server);
  return {
    url,
    token,
    async stop() {
      process.removeListener('exit', endWithUs);
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
    },
  };
}

async function untilItAnswers(url: string, server: ChildProcess): Promise<void> {
  const giveUpAt = Date.now() + START_MS;
  while (server.exitCode === null && Date.now() < giveUpAt) {
    const answer = await fetch(url, { method: 'POST' }).catch(() => undefined);
    if (answer?.status === 401) return;
    await sleep(20);
  }
  throw new Error(`${SERVER} does not answer at ${url}`);
}
