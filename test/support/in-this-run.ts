import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    isProof: boolean;
  }
}

/** The cases of this run: `first` in `npm test`, `further` in `npm run proof`. */
export function inThisRun<T>(first: readonly T[], further: readonly T[]): readonly T[] {
  return inject('isProof') ? further : first;
}
