#!/usr/bin/env node
import type { Clock } from '../index.js';

const clock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  setTimer(callback, ms) {
    const timer = setTimeout(callback, ms);
    return { cancel: () => clearTimeout(timer), unref: () => timer.unref() };
  },
};

/** An older Node lacks `AbortSignal.any`, or cannot even load the tool. Later ones before 20.19 work, and are not supported. */
const OLDEST_NODE = [20, 3] as const;
const WRONG_USE = 2;

/** Runs the command line of this process. Loads the tool only now: an older Node cannot even load it. */
async function exitCodeHere(): Promise<number> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldest, itsMinor] = OLDEST_NODE;
  if (major < oldest || (major === oldest && minor < itsMinor)) {
    process.stderr.write(`single-execution: this is Node ${process.version}: use Node 20.19 or later\n`);
    return WRONG_USE;
  }
  const { main } = await import('./main.js');
  return main(process.argv.slice(2), process, clock);
}

const exitCode = await exitCodeHere();
// Wait until both streams have written everything.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
// Do not wait for the connections of clients: a server that does not answer keeps them open.
process.exit(exitCode);
