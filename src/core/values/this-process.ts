import { environmentVariable } from './environment.js';

interface Platform {
  readonly process?: {
    readonly pid?: number;
    readonly getBuiltinModule?: (id: 'node:os') => { hostname(): string } | undefined;
  };
}

/** Names this process for people who look at the lock: its number, and its host, container or pod. */
export function thisProcess(): string {
  const { process } = globalThis as Platform;
  if (process?.pid === undefined) return 'a process';
  const host = environmentVariable('HOSTNAME') || hostName(process);
  return host ? `process ${process.pid} on ${host}` : `process ${process.pid}`;
}

function hostName(process: NonNullable<Platform['process']>): string | undefined {
  try {
    return process.getBuiltinModule?.('node:os')?.hostname();
  } catch {
    // Deno throws without the permission to read it.
    return undefined;
  }
}
