import { type DatabaseErrors, explain } from '../../../src/stores/sql/sql-errors.js';

/** An error as a client throws it, with these properties. */
export const thrown = (message: string, more: object = {}) => Object.assign(new Error(message), more);

/** Errors by the code of what they mean, and by whether they prove that nothing was written. */
export type Meanings = readonly (readonly [
  code: string,
  isUnsent: boolean,
  errors: Readonly<Record<string, unknown>>,
])[];

/** Codes of a database by the same. */
type Codes = readonly (readonly [meaning: string, isUnsent: boolean, codes: readonly (string | number)[]])[];

/** A row for each code. */
export const eachOf = (codes: Codes) =>
  codes.flatMap(([meaning, isUnsent, all]) => all.map((code) => [code, meaning, isUnsent] as const));

/** What an error is judged as: the code, and whether it proves that nothing was written. */
export function judged(errors: DatabaseErrors, error: unknown): readonly [code: string, isUnsent: boolean] {
  const { code, isUnsent = false } = explain(errors, error, '"locks"');
  return [code, isUnsent];
}
