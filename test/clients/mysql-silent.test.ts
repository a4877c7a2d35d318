import type { Socket } from 'node:net';
import mariadb from 'mariadb';
import oldMariadb from 'mariadb-3.0';
import mysql2 from 'mysql2';
import oldMysql2 from 'mysql2-2';
import { mysqlStore } from 'single-execution/mysql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownEngine } from '../support/backends/stage.js';
import { claim, grant } from '../support/one-run.js';
import { untilUnhandledAreTold } from '../support/settled.js';
import { startTcpFaultProxy } from '../support/tcp-fault-proxy.js';

const { server } = await ownEngine('mysql');

describe('F209 a connection that goes silent', () => {
  test.each([
    ['newest', mariadb],
    ['oldest', oldMariadb as unknown as typeof mariadb],
  ])('is closed without a KILL, whose failure would end the process: the %s mariadb', async (name, { createPool }) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const seen = { silent: 0, kills: 0 };
    const proxy = await startTcpFaultProxy(Number(new URL(server.url).port), (request) => {
      if (request.includes('KILL ')) {
        seen.kills++;
        return 'drop-request';
      }
      return request.includes('single_execution_locks') && seen.silent++ === 0 ? 'stall' : undefined;
    });
    onTestFinished(proxy.stop);
    const url = new URL(server.url);
    const client = createPool({ host: url.hostname, port: proxy.port, user: 'root', database: url.pathname.slice(1) });

    await grant(mysqlStore({ client }), claim({ name }));
    await expect.poll(() => client.activeConnections()).toBe(0);
    await client.end();
    await untilUnhandledAreTold();
    expect({ ...seen, unhandled }).toMatchObject({ kills: 0, unhandled: [] });
    expect(seen.silent).toBeGreaterThan(1);
  });

  test.each([
    ['newest', mysql2],
    ['oldest', oldMysql2 as unknown as typeof mysql2],
  ])('is closed, after which the pool of mysql2 can be ended: the %s mysql2', async (name, { createPool }) => {
    let silent = 0;
    const proxy = await startTcpFaultProxy(Number(new URL(server.url).port), (request) =>
      request.includes('single_execution_locks') && silent++ === 0 ? 'stall' : undefined,
    );
    onTestFinished(proxy.stop);
    const url = new URL(server.url);
    const client = createPool({ host: url.hostname, port: proxy.port, user: 'root', database: url.pathname.slice(1) });
    const closed = new Promise((resolve) => {
      // The first connection is the silent one.
      client.once('connection', (connection) => {
        const { stream } = connection as unknown as { readonly stream: Socket };
        stream.once('finish', resolve);
      });
    });

    await grant(mysqlStore({ client }), claim({ name: `mysql2 ${name}` }));
    await closed;
    await new Promise((resolve) => client.end(resolve));
  });
});
