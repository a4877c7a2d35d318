import type { LockEvent } from '../public/events.js';
import { environmentVariable } from '../values/environment.js';
import { byType, type Level, WORDS } from './event-words.js';

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
  const [level, words] = byType(WORDS, event) ?? [];
  if (!level) return;
  tell(level, `lock "${event.name}": ${words}`, {
    ...event,
    ...('error' in event && { error: errorLine(event.error) }),
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

function errorLine(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : typeof error;
}
