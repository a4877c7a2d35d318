import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bundledProgram } from '../test/support/bundled-program.js';
import type { ChildProgram, ChildPrograms, Said } from '../test/support/child-program.js';
import { type Fault, type FaultProxy, type SeenRequest, startFaultProxy } from '../test/support/fault-proxy.js';
import type { CleanUps } from '../test/support/play/command.js';
import { contactsOf, DATA_TABLE, LOCK_TABLE } from './data.js';

/** So that the nights of an evening can follow each other. */
const LOCK_AT_LEAST_FOR = '3s';

/** An invocation on its way to a worker process. */
export interface Call {
  readonly id: number;
  readonly handler: 'nightly-report' | 'tenant-sync';
  readonly event: unknown;
  readonly requestId: string;
  readonly remainingMs: number;
}

/** A place for one worker process at a time, with a network of its own: whatever goes over it is that worker's work. */
export interface Worker {
  readonly database: FaultProxy;
  /** Starts a process where there is none, as a platform does for the first invocation, or after a crash. */
  start(): Promise<void>;
  /** @returns what the process has said until its handler had ended, or it was killed */
  invoke(call: Call): Promise<readonly Said[]>;
  kill(): void;
  /** Strikes the first request of the handler's own work. @returns when it has */
  strike(fault: Fault): Promise<void>;
  /** The requests of the handler's own work. */
  work(): readonly SeenRequest[];
  /** Forgets all requests and faults. */
  reset(): void;
}

/** @returns what makes workers for a handler, all of which use this database */
export async function startFleet(
  endpoint: string,
  programs: ChildPrograms,
  cleanUps: CleanUps,
): Promise<(handler: Call['handler']) => Promise<Worker>> {
  const bundle = await bundledProgram(new URL('./worker.ts', import.meta.url));
  const service = createServer(({ url = '' }, reply) => reply.end(JSON.stringify(contactsOf(url.split('/')[1] ?? ''))));
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const serviceUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  cleanUps.push(bundle.remove);

  return async (handler) => {
    const [database, tenants] = [await startFaultProxy(endpoint), await startFaultProxy(serviceUrl)];
    // All that tells a function that this is not AWS.
    const env = {
      LOCK_TABLE,
      DATA_TABLE,
      LOCK_AT_LEAST_FOR,
      TENANT_API_URL: tenants.endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    };
    let program: ChildProgram | undefined;
    const kill = () => {
      program?.kill('SIGKILL');
      program = undefined;
    };
    const worker: Worker = {
      database,
      async start() {
        program ??= programs.start(bundle.path, {}, [], env);
        await program.until('ready');
      },
      async invoke(call) {
        const { said, tell, until } = program as ChildProgram;
        const before = said().length;
        tell(JSON.stringify(call));
        // Lambda ends an environment whose invocation is out of time.
        const timer = setTimeout(kill, call.remainingMs);
        await until('replied', ({ id }) => id === call.id).catch(() => undefined);
        clearTimeout(timer);
        return said().slice(before);
      },
      kill,
      strike(fault) {
        const proxy = handler === 'tenant-sync' ? tenants : database;
        return new Promise((resolve) => {
          proxy.inject(fault, { when: isWork, meanwhile: async () => resolve() });
        });
      },
      work: () => [...tenants.requests(), ...database.requests().filter(isWork)],
      reset() {
        database.reset();
        tenants.reset();
      },
    };
    await worker.start();
    return worker;
  };
}

function isWork({ body }: SeenRequest): boolean {
  return body['TableName'] !== LOCK_TABLE;
}
