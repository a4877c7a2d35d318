import { environmentVariable } from './environment.js';

/** Names this process for people who look at the lock: its number, and its container or pod if it has one. */
export function thisProcess(): string {
  const { process } = globalThis as { process?: { pid?: number } };
  if (process?.pid === undefined) return 'a process';
  const host = environmentVariable('HOSTNAME');
  return host ? `process ${process.pid} on ${host}` : `process ${process.pid}`;
}
