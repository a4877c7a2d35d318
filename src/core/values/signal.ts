/**
 * The platform's `AbortSignal`. In a project without the types of the DOM and of Node, it is the part of an
 * `AbortSignal` that handlers use.
 */
export type Signal = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer Known } }
  ? Known
  : BareSignal;

/** The part of an `AbortSignal` that handlers use. */
interface BareSignal {
  /** Whether the run should end. */
  readonly aborted: boolean;
  /** Why: a `LockLostError` or a `DeadlineError`. */
  readonly reason: unknown;
  /** Throws the reason if the run should end. */
  throwIfAborted(): void;
  /** Calls a listener when the run should end. */
  addEventListener(
    type: 'abort',
    listener: () => void,
    options?: {
      /** Whether the listener is removed after its first call. */
      readonly once?: boolean;
    },
  ): void;
  /** Removes a listener. */
  removeEventListener(type: 'abort', listener: () => void): void;
}
