import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect } from 'vitest';
import type { FaultCase } from './cases.js';
import { OPERATIONS, type Operation, type Told } from './operations.js';
import type { Stage } from './stage.js';
import { TABLE } from './table.js';

/** The result of one play of a case. */
interface Played {
  readonly told: string;
  readonly requests: string;
  readonly record: string;
  readonly tookMs: number;
  /** How often the task ran. */
  readonly runs: number;
  readonly attempts: number;
  /** The fencing token that the caller was told and, if the record is of the same run, the token in the record. */
  readonly tokens: ReadonlySet<unknown>;
  /** The longest time that this process or the store stood still. */
  readonly stalledMs: number;
}

/** A standstill this long is a fault of its own, so the case is played again. */
const STALL_MS = 250;
const MOST_PLAYS = 12;
/** How many of these plays may be late although nothing stood still. */
const MOST_SLOW_PLAYS = 3;

/** Plays a case, and compares all its results with the table. */
export async function checkCase(stage: Stage, one: FaultCase): Promise<void> {
  const { told, requests, record, tookMs, runs, attempts, tokens } = await playInTime(stage, one);

  expect({ told, requests, record }).toEqual({
    told: one.expected[0],
    requests: expect.stringMatching(patternOf(one.expected[1], ' ')),
    record: expect.stringMatching(patternOf(one.expected[2], ', ')),
  });
  expect(tookMs).toBeGreaterThanOrEqual(one.atLeastMs);
  expect(runs).toBe(told.startsWith('runs') ? 1 : 0);
  expect(attempts).toBeLessThanOrEqual(1);
  expect(tokens.size).toBeLessThanOrEqual(1);
}

/** Plays a case until the machine does not disturb it. @throws Error if every play was disturbed or late */
async function playInTime(stage: Stage, one: FaultCase): Promise<Played> {
  const disturbed: string[] = [];
  let slow = 0;
  while (disturbed.length < MOST_PLAYS && slow < MOST_SLOW_PLAYS) {
    const played = await play(stage, one);
    const { tookMs, stalledMs } = played;
    if (tookMs < one.atMostMs && stalledMs < STALL_MS) return played;
    if (stalledMs < STALL_MS) slow++;
    disturbed.push(`${Math.round(tookMs)} ms, standstill ${Math.round(stalledMs)} ms`);
  }
  throw new Error(`never done in ${one.atMostMs} ms: ${disturbed.join('; ')}`);
}

async function play(stage: Stage, { operation, row, ever }: FaultCase): Promise<Played> {
  let runs = 0;
  const { before, ask }: Operation = OPERATIONS[operation];
  const struck = onRedisVerb(TABLE[operation].struck, stage);
  const scene = await stage.scene();
  const stalls = monitorEventLoopDelay();
  try {
    await before?.(scene);
    if (row.fault === 'stale date') scene.proxy.setDate({ shiftMs: -1_000 });
    else {
      const times = ever ? Number.POSITIVE_INFINITY : 1;
      scene.proxy.inject(row.fault, { when: (request) => scene.verbOf(request) === struck, times });
    }

    stalls.enable();
    const startedAt = performance.now();
    const told: Told = await ask(scene, ever ? 'little' : 'enough', () => {
      runs++;
    }).catch(failureTold);
    const tookMs = performance.now() - startedAt;
    stalls.disable();

    const { text: record, fencingToken } = await scene.record();
    const isOfTheRun = told.fencingToken !== undefined && /^(held|released), of ours/.test(record);
    return {
      told: told.text,
      requests: scene.proxy.requests().map(scene.verbOf).join(' '),
      record,
      tookMs,
      runs,
      attempts: scene.attempts().size,
      tokens: new Set(isOfTheRun ? [told.fencingToken, fencingToken] : []),
      stalledMs: Math.max(stalls.max / 1e6, scene.proxy.slowestMs()),
    };
  } finally {
    stalls.disable();
    await scene.stop();
  }
}

function onRedisVerb(struck: string, { options }: Stage): string {
  return struck === 'takeover' && options.store === 'upstash' ? 'acquire' : struck;
}

function failureTold(error: unknown): Told {
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  return { text: code === undefined ? `${name}: ${message}` : `${name} ${code}` };
}

/** A pattern for the words of a cell: `verb+` is one or more, `word?` may be missing. */
function patternOf(words: string, separator: string): RegExp {
  const parts = words.split(separator).map((word) => {
    // The word stands after a separator or at the beginning.
    const part = `(^|${separator})${word.replace(/[+?]$/, '')}`;
    if (word.endsWith('+')) return `(${part})+`;
    return word.endsWith('?') ? `(${part})?` : part;
  });
  return new RegExp(`^${parts.join('')}$`);
}
