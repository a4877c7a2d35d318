import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { type Client, createClient, type InValue, type ResultSet } from '@libsql/client';
import { closed, listening } from '../support/loopback.js';

/**
 * Answers the clients of Turso by HTTP as Turso's server does, from a file. Turso's server is no npm package. This one
 * knows the requests that a statement needs, and no transaction that outlasts a request.
 */
export interface HranaServer {
  readonly url: string;
  stop(): Promise<void>;
}

type Value =
  | { readonly type: 'null' }
  | { readonly type: 'integer' | 'text' | 'float'; readonly value: string | number };

interface Asked {
  readonly sql: string;
  readonly args?: readonly Value[];
}

interface Step {
  readonly stmt: Asked;
}

interface Request {
  readonly type: string;
  readonly stmt?: Asked;
}

export async function startHranaServer(file: string): Promise<HranaServer> {
  // Do not wait for the disk. This setting is for one connection, so use only one.
  const database = createClient({ url: `file:${file}`, concurrency: 1 });
  await database.execute('PRAGMA synchronous = OFF');
  const server = createServer(async (request, response) => {
    // A client that has gone leaves a request without an end.
    const lines = await answerOf(database, request).catch(() => undefined);
    if (lines === undefined) response.destroy();
    else response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  });
  return {
    url: `http://127.0.0.1:${await listening(server)}`,
    async stop() {
      await closed(server);
      database.close();
    },
  };
}

/** @returns the lines of the answer */
async function answerOf(database: Client, request: IncomingMessage): Promise<object[]> {
  const body = (await json(request)) as { requests: readonly Request[]; batch: { steps: readonly Step[] } };
  if (request.url?.endsWith('/cursor')) return cursor(database, body.batch.steps);
  const results: object[] = [];
  for (const { type, stmt } of body.requests) results.push(await pipelined(database, type, stmt));
  return [{ baton: null, base_url: null, results }];
}

async function pipelined(database: Client, type: string, stmt: Asked | undefined): Promise<object> {
  if (type === 'get_autocommit') return { type: 'ok', response: { type, is_autocommit: true } };
  if (!stmt) return { type: 'ok', response: { type } };
  try {
    const { columns, rows, rowsAffected } = await executed(database, stmt);
    const result = {
      cols: columns.map((name) => ({ name })),
      rows: encoded(rows, columns),
      affected_row_count: rowsAffected,
    };
    return { type: 'ok', response: { type, result } };
  } catch (error) {
    return { type: 'error', error: errorOf(error) };
  }
}

async function cursor(database: Client, steps: readonly Step[]): Promise<object[]> {
  const lines: object[] = [{ baton: null, base_url: null }];
  for (const [step, { stmt }] of steps.entries()) {
    try {
      const { columns, rows, rowsAffected } = await executed(database, stmt);
      lines.push({ type: 'step_begin', step, cols: columns.map((name) => ({ name })) });
      lines.push(...encoded(rows, columns).map((row) => ({ type: 'row', row })));
      lines.push({ type: 'step_end', affected_row_count: rowsAffected });
    } catch (error) {
      lines.push({ type: 'step_error', step, error: errorOf(error) });
    }
  }
  return lines;
}

function executed(database: Client, { sql, args = [] }: Asked): Promise<ResultSet> {
  const values = args.map((arg): InValue => {
    if (arg.type === 'null') return null;
    return arg.type === 'text' ? String(arg.value) : Number(arg.value);
  });
  return database.execute({ sql, args: values });
}

function encoded(rows: ResultSet['rows'], columns: readonly string[]): Value[][] {
  return rows.map((row) =>
    columns.map((_, at): Value => {
      const value = row[at];
      if (value === null || value === undefined) return { type: 'null' };
      return typeof value === 'number'
        ? { type: 'integer', value: String(value) }
        : { type: 'text', value: String(value) };
    }),
  );
}

function errorOf(error: unknown) {
  const { message, code } = error as { message: string; code?: string };
  return { message: message.replace(`${code}: `, ''), code };
}
