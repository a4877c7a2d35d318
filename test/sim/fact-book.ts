import type { Previous } from 'single-execution';
import type { Between, Grant, Opening, Run, Skip, Standstill, Write } from '../support/history/history.js';
import { tokenJudge } from '../support/history/history.js';
import { INVARIANTS } from '../support/history/invariants.js';
import type { Host } from './host.js';
import type { Regime } from './regime.js';
import type { TickRules } from './tick-book.js';

/** A run of a handler that begins, or a term of a leader. A call that catches up has several such runs. */
export interface Begun {
  readonly host: Host;
  readonly token: number;
  readonly tick: number | undefined;
  /** Whether its tick is an older one that it catches up with. */
  readonly isCatchUp: boolean;
  readonly signal: AbortSignal;
  /** The run before, as it is told. */
  readonly previous?: Previous | undefined;
  /** Whether it ignores its signal. */
  readonly isDeaf: boolean;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
export type SimRun = Writable<Run> & Pick<Begun, 'isCatchUp' | 'isDeaf'>;

interface Circumstances {
  readonly regime: Regime;
  readonly rules: TickRules;
  now(): number;
  tell(line: string): void;
  violation(invariant: string, what: string): void;
}

/** After a standstill, I/O comes before timers for a tenth of the standstill's length. */
const CATCH_UP = 1.1;
const NOT_YET: Between = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];

/** Writes the history of a world's lock, and checks the invariants of every history at the end. */
export function factBook({ regime, rules, now, tell, violation }: Circumstances) {
  const runs: SimRun[] = [];
  const writes: Write[] = [];
  const skips: Skip[] = [];
  const standstills: Standstill[] = [];
  const isAccepted = tokenJudge();
  const atOnce = (): Between => [now(), now()];

  return {
    runs: () => runs.length,

    skipped: (skip: Skip) => void skips.push(skip),

    /** A handler starts. If an operator has already ended its grant by force, it does not know this yet. */
    started(
      { host, token, tick, isCatchUp, signal, isDeaf }: Begun,
      grant: Grant | undefined,
      isForced: boolean,
    ): SimRun {
      tell(`${host.name}: run ${token} starts${isCatchUp ? ` for ${tick}` : ''}`);
      const run: SimRun = {
        attempt: grant?.attempt ?? 'nobody',
        host: host.name,
        tick,
        token,
        began: [grant?.at[0] ?? now(), now()],
        ended: NOT_YET,
        end: 'died',
        isRecorded: false,
        isCatchUp,
        isDeaf,
        ...(isForced && { mayOverlapFromMs: now() }),
      };
      const onAbort = () => {
        run.returnedMs = now();
        if (isDeaf) run.mayOverlapFromMs ??= now();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      runs.push(run);
      return run;
    },

    /** A handler writes. It has checked that it holds its lock, unless it ignores its signal. */
    wrote({ attempt, host, tick, token, isDeaf }: SimRun) {
      writes.push({ attempt, host, tick, token, at: atOnce(), hasAsked: !isDeaf, isAccepted: isAccepted(token) });
    },

    ended(run: SimRun) {
      tell(`${run.host}: run ${run.token} ends`);
      run.ended = atOnce();
      if (run.end === 'died') run.end = 'threw';
    },

    /** The caller knows that the run for this tick has succeeded, and that the success is on record. */
    succeeded(token: number, tick: number) {
      for (const run of runs) if (run.token === token && run.tick === tick) run.isRecorded = true;
    },

    /** An operator has ended the grant of this token by force. */
    forced(token: number) {
      for (const run of runs) if (run.token === token) run.mayOverlapFromMs ??= now();
    },

    /** A host stands still for this long. If it is suspended, its timers are late from then on. */
    standsStill({ name }: Host, ms: number, isSuspended: boolean) {
      const toMs = isSuspended ? Number.POSITIVE_INFINITY : now() + ms * CATCH_UP + 1;
      standstills.push({ host: name, fromMs: now(), toMs });
    },

    crashes({ name }: Host) {
      tell(`${name} crashes`);
      for (const run of runs) if (run.host === name && run.ended === NOT_YET) run.ended = atOnce();
    },

    /** Checks the invariants at the end of the world. */
    close(grants: readonly (Grant & { readonly leaseEndsMs: number })[], openings: readonly Opening[]) {
      for (const run of runs) run.leaseEndsMs = grants.find(({ token }) => token === run.token)?.leaseEndsMs;
      const { tickMark, everyMs } = rules;
      const neverCameIsOpen = everyMs !== undefined || regime.operators;
      const facts = { grants, runs, writes, skips, standstills, openings };
      for (const { name, check } of INVARIANTS) {
        for (const breach of check({ tickMark, neverCameIsOpen, readingMs: 0, ...facts }).breaches) {
          violation(
            name,
            `${breach.what} (${breach.facts.map(({ host, attempt }) => `${host}, ${attempt}`).join('; ')})`,
          );
        }
      }
    },
  };
}
