/** The example that a process runs. The bundler puts its file here. */
declare module 'example' {
  import type { LockStore } from 'single-execution';
  /** The store that an example may export. */
  export const store: LockStore | undefined;
}
