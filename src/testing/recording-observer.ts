import type { LockEvent, Observer } from '../core/public/events.js';

/** An observer that keeps the events it is given, oldest first. */
export interface RecordingObserver extends Observer {
  readonly events: readonly LockEvent[];
  /** The types of all events, in order. */
  types(): LockEvent['type'][];
}

export function recordingObserver(): RecordingObserver {
  const events: LockEvent[] = [];
  const observer = (event: LockEvent) => {
    events.push(event);
  };
  return Object.assign(observer, { events, types: () => events.map(({ type }) => type) });
}
