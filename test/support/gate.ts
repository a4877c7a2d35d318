/** A promise that the test settles itself. */
export interface Gate<T> {
  readonly opened: Promise<T>;
  open(value: T): void;
  fail(reason: unknown): void;
}

export function gate<T = void>(): Gate<T> {
  let open: (value: T) => void = () => {};
  let fail: (reason: unknown) => void = () => {};
  const opened = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { opened, open, fail };
}
