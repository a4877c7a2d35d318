import { readStatement, type Statement } from './sql-request.js';
import { type Seen, strikes, type Wire } from './wire.js';

/** What a statement on a file can suffer: another process has the file. */
export interface FileFault {
  readonly kind: 'busy';
}

export interface FileWire extends Wire<FileFault> {
  /** Runs a statement of the store, while a fault strikes it. */
  run<T>(statement: Statement, run: () => T): T;
}

/**
 * A way to a file: the statements of one client.
 *
 * @param whileBusy runs a statement while somebody else has the file
 */
export function fileWire(file: string, whileBusy: <T>(run: () => T) => T, during: () => string): FileWire {
  let log: Seen[] = [];
  const { inject, faultOf } = strikes<FileFault>();
  return {
    url: file,
    inject,
    run(statement, run) {
      const seen = readStatement(statement, during());
      if (seen) log.push(seen);
      return seen && faultOf(seen) ? whileBusy(run) : run();
    },
    seen: () => log,
    slowestMs: () => 0,
    deliverLate: async () => undefined,
    reset() {
      log = [];
    },
    stop: async () => undefined,
  };
}
