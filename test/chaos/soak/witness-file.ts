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
  /** When its handler had last asked its signal. */
  readonly askedMs: number;
  readonly isAccepted: boolean;
}

export type WitnessFile = (token: number, delivery: number, askedMs: number) => void;

export function openWitnessFile(path: string): WitnessFile {
  const file = openSync(path, 'a');
  return (token, delivery, askedMs) => {
    writeSync(file, `${token} ${delivery} ${askedMs}\n`);
  };
}

/** All writes to a witness file, in their order. */
export function witnessed(text: string): WitnessedWrite[] {
  const judge = tokenJudge();
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [token = 0, delivery = 0, askedMs = 0] = line.split(' ').map(Number);
    return { token, delivery, askedMs, isAccepted: judge(token) };
  });
}
