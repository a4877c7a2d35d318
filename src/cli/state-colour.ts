import type { LockSummary } from '../operate/lock-summary.js';
import type { Colour } from './terminal.js';

const OF_STATE: Readonly<Partial<Record<LockSummary['state'], Colour>>> = {
  paused: 'yellow',
  held: 'green',
  expired: 'red',
  corrupt: 'red',
};
const OF_RESULT: Readonly<Record<NonNullable<LockSummary['lastResult']>, Colour | undefined>> = {
  succeeded: undefined,
  failed: 'red',
  crashed: 'red',
  forced: 'red',
};

export const stateColour = (state: LockSummary['state']): Colour | undefined => OF_STATE[state];
export const resultColour = (result: NonNullable<LockSummary['lastResult']>): Colour | undefined => OF_RESULT[result];
