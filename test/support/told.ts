/*
 * The other end of `childPrograms`: what a program was started with, and how it speaks.
 */

/** @returns what the program was started with */
export const order = <T>(): T => JSON.parse(process.argv[2] ?? '');

export const say = (said: string, more: object = {}) => process.stdout.write(`${JSON.stringify({ said, ...more })}\n`);

export const nameOf = (error: unknown) => (error instanceof Error ? error.name : String(error));
