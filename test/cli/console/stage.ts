import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { startConsole } from '../../../src/cli/console/console-server.js';
import { pacedAdmin } from '../../../src/cli/console/paced-admin.js';
import { systemClock } from '../../../src/core/values/clock.js';
import type { Kind } from '../../support/backends.js';
import type { CliStage } from '../stage.js';

export interface StartedConsole {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Sends a request to the console's API. @returns the status and the body */
  ask(path: string, options?: AskOptions): Promise<{ readonly status: number; readonly body: unknown }>;
}

interface AskOptions {
  readonly body?: unknown;
  readonly method?: string;
  /** Replace the correct headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts the console as a process, until the end of the test. */
export async function startedConsole(
  { cli, on }: CliStage,
  kind: Kind,
  ...args: readonly string[]
): Promise<StartedConsole> {
  const { child, ended } = cli.start(['console', ...args, ...on(kind).args], on(kind).env);
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return consoleOf(child);
}

/** The console that a process serves. */
export async function consoleOf({ stdout }: ChildProcess): Promise<StartedConsole> {
  return consoleAt(await firstLine(stdout as NodeJS.ReadableStream));
}

/** Serves the console in this process, until the end of the test: the same server with the same page. */
export async function servedConsole(
  { cli, on }: CliStage,
  kind: Kind,
  { readOnly = false, admin = on(kind).admin, clock = systemClock } = {},
): Promise<StartedConsole> {
  const running = await startConsole({
    admin: pacedAdmin(admin, clock),
    clock,
    page: await readText(join(dirname(cli.path), 'console.html')),
    readOnly,
    store: kind,
  });
  onTestFinished(() => running.close());
  return consoleAt(running.url);
}

function consoleAt(url: string): StartedConsole {
  const { port, hash } = new URL(url);
  const token = new URLSearchParams(hash.slice(1)).get('token') ?? '';
  return {
    url,
    port: Number(port),
    token,
    ask: (path, { body, method = body === undefined ? 'GET' : 'POST', headers = {} } = {}) =>
      new Promise((resolve, reject) => {
        const all = { authorization: `Bearer ${token}`, ...headers };
        const asked = request({ host: '127.0.0.1', port, path, method, headers: all }, (response) => {
          text(response).then((told) => resolve({ status: response.statusCode ?? 0, body: parsed(told) }), reject);
        });
        asked.on('error', reject);
        asked.end(body === undefined ? undefined : JSON.stringify(body));
      }),
  };
}

function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = '';
    stream.on('data', (chunk) => {
      seen += chunk;
      if (seen.includes('\n')) resolve(seen.split('\n', 1)[0] as string);
    });
    stream.on('end', () => reject(new Error('the console ended without an address')));
  });
}

function parsed(told: string): unknown {
  return told.startsWith('<') ? told : JSON.parse(told);
}

export const readText = (path: string): Promise<string> => readFile(path, 'utf8');
