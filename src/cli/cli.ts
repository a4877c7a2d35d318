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

process.exitCode = await main(process.argv.slice(2), process, clock);
