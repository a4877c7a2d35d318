/**
 * The platform's `AbortSignal`. Where a project's compiler knows none, for want of the DOM's and of Node's types, it is
 * what handlers use of one.
 */
export type Signal = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer Known } }
  ? Known
  : BareSignal;

interface BareSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
