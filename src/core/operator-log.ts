import type { LockEvent } from './events.js';

/**
 * The default observer: one JSON line on stderr for what an operator must see, and silence otherwise. Errors appear
 * by name and message; the library's own messages hold no secret and no raw command.
 */
export function operatorLog(event: LockEvent): void {
  if (!isForOperators(event)) return;
  warn(`lock "${event.name}": ${event.type}`, {
    ...event,
    ...('error' in event ? { error: errorLine(event.error) } : {}),
  });
}

/** Writes one JSON line on stderr. Never throws: no run depends on a log. */
export function warn(message: string, details: object = {}): void {
  try {
    console.error(JSON.stringify({ level: 'WARN', source: 'single-execution', message, ...details }));
  } catch {
    // Nobody is left to be told.
  }
}

function isForOperators(event: LockEvent): boolean {
  switch (event.type) {
    case 'acquire-failed':
    case 'extend-failed':
    case 'lost':
    case 'release-failed':
    case 'missed':
    case 'recovered':
    case 'clock-skew':
    case 'clock-unverified':
    case 'tick-unreadable':
      return true;
    case 'skipped':
      return event.reason === 'stale-tick';
    default:
      return false;
  }
}

function errorLine(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : typeof error;
}
