import type { LockEvent } from '../public/events.js';
import { environmentVariable } from '../values/environment.js';
import { unawaited } from '../values/promised.js';
import { causeWords, isError } from '../values/thrown.js';
import { byType, type Level, WORDS } from './event-words.js';

/** Writes one line for an operator: its level, the message in plain words, and the event with its error. */
type Write = (level: Level, message: string, details: object) => void;

/**
 * The default observer: writes one line for each event that an operator must see. Errors appear with name and message;
 * the library's own messages contain no secret and no raw command.
 */
export function operatorLog(event: LockEvent): void {
  reportToOperator(event, write);
}

/** Passes an event to `tell`, with its level and its meaning in plain words, if an operator must see it. */
export function reportToOperator(event: LockEvent, report: Write): void {
  const [level, words] = byType(WORDS, event) ?? [];
  if (!level) return;
  report(level, `lock "${event.name}": ${words}`, {
    ...event,
    ...('error' in event && { error: errorLine(event.error) }),
  });
}

/** Writes one warning. Never throws: no run depends on a log. */
export function warn(message: string, details: object = {}): void {
  write('warn', message, details);
}

/**
 * Writes one line to the console. In Lambda's JSON log format it is an object, which Lambda splits into fields and to
 * which it adds the level; elsewhere it is JSON text.
 */
function write(level: Level, message: string, details: object): void {
  const line = { source: 'single-execution', message, ...details };
  try {
    const isJson = environmentVariable('AWS_LAMBDA_LOG_FORMAT') === 'JSON';
    unawaited(console[level](isJson ? line : JSON.stringify({ level: level.toUpperCase(), ...line })));
  } catch {
    // The console failed, and there is no other place to write to.
  }
}

function errorLine(error: unknown): string {
  if (!isError(error)) return typeof error;
  const cause = causeWords(error);
  // The messages of some stores end with the code already.
  return `${error.name}: ${error.message}${error.message.includes(cause) ? '' : ` (${cause})`}`;
}
