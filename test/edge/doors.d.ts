/** Every door that needs no SDK, by its name. `runtimes.test.ts` writes this file. */
export const doors: Readonly<Record<string, object>>;
