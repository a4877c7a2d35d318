import { openSync, writeSync } from 'node:fs';
import { tokenJudge } from '../../support/history/history.js';

/*
 * The file that the runs of one job write to. Runs append lines, which the system puts in one order. A write counts
 * unless a line with a greater token stands before it. Any resource that checks fencing tokens should judge so.
 */

export interface WitnessedWrite {
  readonly token: number;
  readonly delivery: number;
  /** An instant before the write and, if the handler asked its signal, before that. */
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

export function witnessed(text: string): WitnessedWrite[] {
  const judge = tokenJudge();
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [token, delivery, atMs, unasked] = line.split(' ');
    const write = { token: Number(token), delivery: Number(delivery), atMs: Number(atMs) };
    return { ...write, hasAsked: unasked === undefined, isAccepted: judge(write.token) };
  });
}
