/*
 * The program's side of `childPrograms`: reads the order that the program was started with, and prints lines for the
 * parent.
 */

/** @returns the order that the program was started with */
export const order = <T>(): T => JSON.parse(process.argv[2] ?? '');

export const say = (said: string, more: object = {}) => process.stdout.write(`${JSON.stringify({ said, ...more })}\n`);

export const nameOf = (error: unknown) => (error instanceof Error ? error.name : String(error));
