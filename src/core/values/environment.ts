/** Reads a variable of the environment; undefined if it is not set, or if this program may not read it. */
export function environmentVariable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return process?.env?.[name];
  } catch {
    // Deno throws for a variable that this program is not allowed to read.
    return undefined;
  }
}

interface Platform {
  readonly process?: {
    readonly pid?: number;
    readonly getBuiltinModule?: (id: 'node:os') => { hostname(): string } | undefined;
  };
}

/** Names this process for people who look at the lock, by its process id and its host, container or pod. */
export function thisProcess(): string {
  const { process } = globalThis as Platform;
  if (process?.pid === undefined) return 'a process';
  const given = environmentVariable('HOSTNAME') ?? '';
  // Next.js and others use HOSTNAME for the address to listen on, which names no host.
  const host = /^([\d.:[\]]*|localhost)$/.test(given) ? hostName(process) : given;
  return host ? `process ${process.pid} on ${host}` : `process ${process.pid}`;
}

function hostName(process: NonNullable<Platform['process']>): string | undefined {
  try {
    return process.getBuiltinModule?.('node:os')?.hostname();
  } catch {
    // Without the permission to read the host name, Deno throws.
    return undefined;
  }
}
