import type { LockAdmin } from '../admin/lock-admin.js';
import type { Clock, LockStore } from '../index.js';
import type { CommandLine, Environment } from './option.js';
import type { OpenedStore } from './store/kind.js';
import type { Terminal } from './terminal.js';

/** One call of a command. */
export interface Session extends CommandLine {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly env: Environment;
  /** The working directory. */
  readonly folder: string;
  /** Opens the store that the command line names, once. It is closed at the end of the command. */
  open(): Promise<OpenedStore>;
  /** The locks of the store. The first call of a verb opens the store. */
  readonly store: LockStore;
  readonly admin: LockAdmin;
}
