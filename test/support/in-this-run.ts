import { inject } from 'vitest';

/** `npm test`, `npm run test:proof` or `npm run test:versions`. */
export type TestRun = 'test' | 'proof' | 'versions';

declare module 'vitest' {
  interface ProvidedContext {
    run: TestRun;
  }
}

/** The cases of this run: `first` in `npm test`, `further` in `npm run test:proof`, `versions` in `npm run test:versions`. */
export function inThisRun<T>(first: readonly T[], further: readonly T[], versions: readonly T[] = []): readonly T[] {
  return { test: first, proof: further, versions }[inject('run')];
}
