import type { LockEvent } from '../public/events.js';
import { factsOfSkip } from '../public/outcome.js';
import { environmentVariable } from '../values/environment.js';

/** How urgent a line is: `warn` if it may need attention, `error` if something failed. */
export type Level = 'info' | 'warn' | 'error';

/** Writes one line for an operator: its urgency, the message in plain words, and the event with its error. */
type Write = (level: Level, message: string, details: object) => void;

/**
 * The default observer: one line for each event that an operator must see, and none for others. Errors appear with name
 * and message; the library's own messages contain no secret and no raw command.
 */
export function operatorLog(event: LockEvent): void {
  tellOperator(event, write);
}

/** Passes an event on if an operator must see it. */
export function tellOperator(event: LockEvent, tell: Write): void {
  const [level, words] = wordsFor(event) ?? [];
  if (!level) return;
  tell(level, `lock "${event.name}": ${words}`, {
    ...event,
    ...('error' in event ? { error: errorLine(event.error) } : {}),
  });
}

/** Writes one warning. Never throws: no run depends on a log. */
export function warn(message: string, details: object = {}): void {
  write('warn', message, details);
}

/** Lambda's JSON log format splits an object into fields and adds the level. Elsewhere the line itself is JSON. */
function write(level: Level, message: string, details: object): void {
  const line = { source: 'single-execution', message, ...details };
  try {
    console[level](
      environmentVariable('AWS_LAMBDA_LOG_FORMAT') === 'JSON'
        ? line
        : JSON.stringify({ level: level.toUpperCase(), ...line }),
    );
  } catch {
    // The console failed, and there is no other place to write to.
  }
}

/** The urgency of an event, and its meaning in plain words; undefined if no operator must see it. */
function wordsFor(event: LockEvent): readonly [Level, string] | undefined {
  switch (event.type) {
    case 'skipped': {
      const { reason, holder } = event;
      const { words, isHeld, level = 'info' } = factsOfSkip(reason);
      const by = holder && isHeld ? ` by ${holder.lockedBy} until ${holder.lockUntil}` : '';
      return [level, `skipped, ${words}${by}`];
    }
    case 'acquire-failed':
      return ['error', 'could not be acquired'];
    case 'extend-failed':
      return ['error', 'could not be extended'];
    case 'release-failed':
      return ['error', 'could not be released'];
    case 'lost':
      return ['warn', 'lost before its run ended'];
    case 'missed':
      return ['warn', `ticks missed: ${event.ticks.length + event.others}`];
    case 'caught-up':
      return event.status === 'failed' ? undefined : ['info', `caught up with tick ${event.tick.toISOString()}`];
    case 'given-up':
      return ['warn', `ticks given up: ${event.ticks.length + event.others}`];
    case 'recovered':
      return ['warn', 'the run before crashed'];
    case 'clock-skew':
      return ['warn', `the clock of this host is off by ${event.minMs} to ${event.maxMs} ms`];
    case 'clock-unverified':
      return ['warn', 'taken over by the clock of this host'];
    case 'tick-unreadable':
      return ['warn', 'the scheduled time in the event cannot be read'];
    default:
      return undefined;
  }
}

function errorLine(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : typeof error;
}
