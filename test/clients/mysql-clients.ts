import { Client } from '@planetscale/database';
import * as mariadb from 'mariadb';
import mysqlWithCallbacks from 'mysql2';
import mysql from 'mysql2/promise';
import type { MysqlClient } from 'single-execution/mysql';
import { planetscaleFetch } from './planetscale-fetch.js';

/** A client of MySQL, connected. */
export interface ConnectedMysql {
  readonly client: MysqlClient;
  /** Runs a statement of the program with the same client. On a pool it may run on any connection. */
  run(text: string): Promise<unknown>;
  end(): Promise<void>;
}

const mariadbOptions = (url: string) => {
  const { hostname, port, username, pathname } = new URL(url);
  return { host: hostname, port: Number(port), user: username, database: pathname.slice(1) };
};

/** Clients with many connections. */
export const MYSQL_POOLS: Readonly<Record<string, (url: string) => Promise<ConnectedMysql>>> = {
  async 'a pool of mysql2/promise'(url) {
    const client = mysql.createPool(url);
    return { client, run: (text) => client.query(text), end: () => client.end() };
  },
  async 'a pool of mysql2'(url) {
    const client = mysqlWithCallbacks.createPool(url);
    return { client, run: (text) => client.promise().query(text), end: () => client.promise().end() };
  },
  async 'a pool of mariadb'(url) {
    const client = mariadb.createPool(mariadbOptions(url));
    return { client, run: (text) => client.query(text), end: () => client.end() };
  },
  async 'a client of @planetscale/database'(url) {
    const pool = mysql.createPool(url);
    const fetch = planetscaleFetch(pool);
    const client = new Client({ host: 'planetscale.example', fetch });
    return { client, run: (text) => client.execute(text), end: () => pool.end() };
  },
};

/** Clients with one connection. */
export const MYSQL_CONNECTIONS: typeof MYSQL_POOLS = {
  async 'a connection of mysql2/promise'(url) {
    const client = await mysql.createConnection(url);
    return { client, run: (text) => client.query(text), end: () => client.end() };
  },
  async 'a connection of mysql2'(url) {
    const client = mysqlWithCallbacks.createConnection(url);
    return { client, run: (text) => client.promise().query(text), end: () => client.promise().end() };
  },
  async 'a connection of a pool of mysql2/promise'(url) {
    const pool = mysql.createPool(url);
    const client = await pool.getConnection();
    return { client, run: (text) => client.query(text), end: () => pool.end() };
  },
  async 'a connection of mariadb'(url) {
    const client = await mariadb.createConnection(mariadbOptions(url));
    return { client, run: (text) => client.query(text), end: () => client.end() };
  },
  async 'a function over mysql2/promise'(url) {
    const own = await mysql.createConnection(url);
    return {
      client: async (text, values) =>
        (await own.execute<mysql.RowDataPacket[] | mysql.ResultSetHeader>(text, values))[0],
      run: (text) => own.query(text),
      end: () => own.end(),
    };
  },
};
