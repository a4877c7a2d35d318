import { shortInstant } from '../operate/span.js';
import type { Session } from './command.js';

/** Prints ticks one a line, or as a JSON array of ISO instants. */
export function printTicks({ terminal, has }: Session, ticks: readonly Date[], none: string): void {
  if (has('json')) terminal.json(ticks);
  else if (ticks.length === 0) terminal.note(none);
  else for (const tick of ticks) terminal.line(shortInstant(tick));
}
