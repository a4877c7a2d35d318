import { environmentVariable } from './environment.js';

/** For people who look at the lock: the process, where there is such a thing, and its container or pod. */
export function thisProcess(): string {
  const { process } = globalThis as { process?: { pid?: number } };
  if (process?.pid === undefined) return 'a process';
  const host = environmentVariable('HOSTNAME');
  return host ? `process ${process.pid} on ${host}` : `process ${process.pid}`;
}
