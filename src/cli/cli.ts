#!/usr/bin/env node
import type { Clock } from '../index.js';
import { main } from './main.js';

const clock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  setTimer(callback, ms) {
    const timer = setTimeout(callback, ms);
    return { cancel: () => clearTimeout(timer), unref: () => timer.unref() };
  },
};

const exitCode = await main(process.argv.slice(2), process, clock);
// Wait until both streams have written everything.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
// Do not wait for the connections of clients: a server that does not answer keeps them open.
process.exit(exitCode);
