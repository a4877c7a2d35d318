import { openSync, writeSync } from 'node:fs';
import { tokenJudge } from '../../support/history/history.js';

/*
 * What runs of one job write to: a file that lines are appended to, which the system puts in one order. A write counts
 * unless one with a greater token stands before it: so any resource should judge that checks fencing tokens.
 */

export interface WitnessedWrite {
  readonly token: number;
  /** The delivery that wrote. */
  readonly delivery: number;
  /** Before the write, and before its handler asked its signal if it did. */
  readonly atMs: number;
  readonly hasAsked: boolean;
  readonly isAccepted: boolean;
}

export type WitnessFile = (write: Omit<WitnessedWrite, 'isAccepted'>) => void;

export function openWitnessFile(path: string): WitnessFile {
  const file = openSync(path, 'a');
  return ({ token, delivery, atMs, hasAsked }) => {
    writeSync(file, `${token} ${delivery} ${atMs}${hasAsked ? '' : ' unasked'}\n`);
  };
}

/** All writes to a witness file, in their order. */
export function witnessed(text: string): WitnessedWrite[] {
  const judge = tokenJudge();
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [token, delivery, atMs, unasked] = line.split(' ');
    const write = { token: Number(token), delivery: Number(delivery), atMs: Number(atMs) };
    return { ...write, hasAsked: unasked === undefined, isAccepted: judge(write.token) };
  });
}
