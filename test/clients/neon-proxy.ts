import { createServer } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { Pool, type PoolClient } from 'pg';
import { WebSocketServer } from 'ws';
import { closed, listening } from '../support/loopback.js';

/**
 * Stands in front of a real PostgreSQL as Neon's proxy does. It runs statements that come by HTTP, and connects
 * WebSockets to the server. Neon's service cannot run here; its clients can.
 */
export interface NeonProxy {
  readonly endpoint: string;
  /** For `neonConfig`, so that connections go through WebSockets of this proxy. */
  readonly settings: object;
  stop(): Promise<void>;
}

interface Asked {
  readonly query: string;
  readonly params: unknown[];
}

export async function startNeonProxy(database: string): Promise<NeonProxy> {
  const pool = new Pool({ connectionString: database });
  pool.on('error', () => undefined);
  const server = createServer(async (request, response) => {
    const asked = (await json(request)) as Asked;
    const [status, body] = await pool.connect().then((connection) => answered(connection, asked));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const { hostname, port } = new URL(database);
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    const upstream = connect(Number(port), hostname);
    socket.on('message', (data) => upstream.write(data as Buffer));
    socket.on('close', () => upstream.destroy());
    upstream.on('data', (data) => socket.send(data));
    upstream.on('error', () => socket.close());
    upstream.on('close', () => socket.close());
  });
  const address = `127.0.0.1:${await listening(server)}`;
  return {
    endpoint: `http://${address}/sql`,
    settings: { wsProxy: () => `${address}/`, useSecureWebSocket: false, pipelineTLS: false, pipelineConnect: false },
    async stop() {
      for (const socket of sockets.clients) socket.terminate();
      await closed(server);
      await pool.end();
    },
  };
}

/** Answers as Neon does: every value is the server's text for it, which the client reads by the type of its column. */
async function answered(connection: PoolClient, { query, params }: Asked) {
  try {
    const asTexts = { getTypeParser: () => (text: string) => text };
    const result = await connection.query<unknown[]>({ text: query, values: params, rowMode: 'array', types: asTexts });
    const fields = result.fields.map(({ name, dataTypeID }) => ({ name, dataTypeID }));
    const { rows, rowCount, command } = result;
    return [200, { fields, rows, rowAsArray: true, rowCount, command }] as const;
  } catch (error) {
    const { message, code } = error as { message: string; code: string };
    return [400, { message, code }] as const;
  } finally {
    connection.release();
  }
}
