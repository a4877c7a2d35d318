import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { CliStage, KINDS } from '../stage.js';

export interface StartedConsole {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Asks its API. @returns the status and the body */
  ask(path: string, options?: AskOptions): Promise<{ readonly status: number; readonly body: unknown }>;
}

interface AskOptions {
  readonly body?: unknown;
  readonly method?: string;
  /** In place of the right ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts the console as a process, until the end of the test. */
export async function startedConsole(
  { cli, on }: CliStage,
  kind: (typeof KINDS)[number],
  ...args: readonly string[]
): Promise<StartedConsole> {
  const { child, ended } = cli.start(['console', ...args, ...on(kind).args]);
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const url = await firstLine(child.stdout as NodeJS.ReadableStream);
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
