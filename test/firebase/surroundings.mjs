/*
 * What a program of the page finds: its work is a request to the test, which answers it, holds it back, or breaks it off.
 * Its server says its port, and keeps idle connections: if it ended one, it would lose what the test sends just then.
 */

import { Server } from 'node:http';

const { fetch } = globalThis;
const { log } = console;
const work = (init) => fetch(process.env['WORK_URL'], { method: 'POST', ...init });

globalThis.fetch = (input, init) =>
  String(input).startsWith('https://example.com/') ? work(init) : fetch(input, init);
console.log = (...values) => (values[0] === 'the digest of' ? work() : log(...values));

const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  this.keepAliveTimeout = 0;
  return listen.apply(this, args).once('listening', () => log('listens on port', this.address().port));
};
