import type { Signal } from '../core/values/clock.js';

/**
 * A storage that can compare and swap: it keeps a JSON object under a key, and replaces the object only if nobody else
 * has written it since it was read. Its functions may reject with any error. A `LockStoreError` is passed on with its
 * code and its message. If it is not `retryable`, nothing was written, and the call ends at once.
 *
 * @typeParam Version a value that each write of a key changes: a counter, a random id, an ETag
 */
export interface Storage<Version> {
  /** Reads the current record of a key, never an older state from a cache or a replica. */
  read(
    key: string,
    signal: Signal,
  ): Promise<{
    /** Undefined or null for a key that was never written. */
    readonly record?: StoredRecord | null | undefined;
    /** The version of the record; undefined for a key that was never written. */
    readonly version?: Version | undefined;
    /**
     * The storage's own time in whole epoch milliseconds. Only this time grants and judges leases. If it is coarse, set
     * `clockResolutionMs`.
     */
    readonly nowMs: number;
  }>;
  /**
   * Writes a record if `version` is still the version of its key. Inserts the record if `version` is undefined.
   * Resolves to `true` if it wrote, and to `false` if it did not.
   *
   * @param notAfterMs The storage's time, in epoch milliseconds, from which on this write must not be applied any more,
   *   because its caller has given up; undefined for a write that is right however late it comes. A storage whose
   *   requests can wait in a queue compares it with its own clock, in the same step as the version.
   */
  write(
    key: string,
    record: StoredRecord,
    version: Version | undefined,
    signal: Signal,
    notAfterMs?: number,
  ): Promise<boolean>;
  /** Lists all records whose keys begin with a prefix, for operators. Without this function, `list` is refused. */
  list?(
    prefix: string,
    signal: Signal,
  ): Promise<
    {
      /** The whole key, the prefix included. */
      readonly key: string;
      /** The record under the key. */
      readonly record: StoredRecord;
      /** The storage's own time of this list, in whole epoch milliseconds. @default operators go by their host's clock */
      readonly nowMs?: number;
    }[]
  >;
  /**
   * Whether an error proves that nothing was written and nothing will be. After any other error of `write`, the write
   * may have been applied. @default never
   */
  isUnsent?(error: unknown): boolean;
  /**
   * How far `nowMs` may be behind the storage's time, because that time is rounded or stands still between two of its
   * steps: 1,000 for a time of whole seconds, such as the header `Date`. Every lease and `lockAtLeastFor` then ends later
   * by as much, so that no two runs overlap. @default 1
   */
  readonly clockResolutionMs?: number;
}

/** A record as a storage keeps it: a JSON object of texts and numbers. */
export type StoredRecord = { readonly [attribute: string]: string | number };
