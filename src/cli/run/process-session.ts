import { readdirSync, readFileSync } from 'node:fs';

/*
 * All processes of a command: those of the session that its first process leads. A shell with job control and GNU
 * `timeout` put processes into groups of their own, but these stay in the session. Without /proc only the first group is
 * known. A process that starts a session of its own, as `setsid` does, has left.
 */

/** Indexes in /proc/PID/stat, counted from the state. */
const [STATE, GROUP, SESSION, THREADS] = [0, 2, 3, 17];

/**
 * Sends a signal to every process of a session.
 *
 * @returns the system's code if a group could not be reached; undefined if all were, or if they have ended
 */
export function signalSession(session: number, signal: NodeJS.Signals): string | undefined {
  const groups = new Set([session, ...shownOf(session).map(({ group }) => group)]);
  return [...groups].map((group) => undelivered(-group, signal)).find((code) => code !== undefined);
}

/** The system's code if a signal was not delivered; undefined if it was, or if the process has ended. */
export function undelivered(target: number, signal: NodeJS.Signals): string | undefined {
  try {
    process.kill(target, signal);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ESRCH' ? undefined : code;
  }
}

/** Whether a process of the session is running. */
export function isSessionAlive(session: number): boolean {
  const shown = shownOf(session);
  if (shown.some(({ isRunning }) => isRunning)) return true;
  // `kill` also finds processes that their parent has not collected yet. If the system shows no process of the first
  // group, for example without /proc, the answer of `kill` counts.
  return hasGroup(session) && !shown.some(({ group }) => group === session);
}

function hasGroup(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

interface Shown {
  readonly group: number;
  readonly isRunning: boolean;
}

/** The processes of a session in /proc. */
function shownOf(session: number): readonly Shown[] {
  return pidsShown().flatMap((pid) => {
    try {
      // The format is `pid (name) state ppid pgrp session ...`; the name may contain anything, even `) `.
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      if (Number(stat[SESSION]) !== session) return [];
      // A zombie (Z) with more than one thread still runs: only its first thread has ended.
      const isRunning = stat[STATE] !== 'Z' || Number(stat[THREADS]) > 1;
      return [{ group: Number(stat[GROUP]), isRunning }];
    } catch {
      return [];
    }
  });
}

function pidsShown(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
