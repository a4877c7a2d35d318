import { openSync, readSync, writeSync } from 'node:fs';

/*
 * What runs of one job write to: a file that lines are appended to, which the system puts in one order. A write counts
 * unless one with a greater token stands before it: so any resource should judge that checks fencing tokens.
 */

export interface WitnessedWrite {
  readonly token: number;
  /** The delivery that wrote. */
  readonly delivery: number;
  readonly atMs: number;
  readonly isAccepted: boolean;
}

export interface WitnessFile {
  /** @returns whether the write counts */
  write(token: number, delivery: number, atMs: number): boolean;
}

/** A judge of writes in the order in which they stand. */
function judge(): (line: string) => WitnessedWrite {
  let highest = 0;
  return (line) => {
    const [token = 0, delivery = 0, atMs = 0] = line.split(' ').map(Number);
    const isAccepted = token >= highest;
    highest = Math.max(highest, token);
    return { token, delivery, atMs, isAccepted };
  };
}

export function openWitnessFile(path: string): WitnessFile {
  const file = openSync(path, 'a+');
  const judged = judge();
  const chunk = Buffer.alloc(65_536);
  let readTo = 0;
  let unread = '';

  return {
    write(token, delivery, atMs) {
      const own = `${token} ${delivery} ${atMs}`;
      writeSync(file, `${own}\n`);
      // It reads as far as its own line, which is there.
      for (;;) {
        const bytes = readSync(file, chunk, 0, chunk.length, readTo);
        readTo += bytes;
        const lines = (unread + chunk.toString('latin1', 0, bytes)).split('\n');
        unread = lines.pop() ?? '';
        const verdicts = lines.map(judged);
        const verdict = verdicts[lines.indexOf(own)];
        if (verdict) return verdict.isAccepted;
      }
    },
  };
}

/** All writes to a witness file, in their order. */
export function witnessed(text: string): WitnessedWrite[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(judge());
}
