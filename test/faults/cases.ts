import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect } from 'vitest';
import { FAULTS, type FaultRow } from './faults.js';
import { OPERATIONS, type Operation, type OperationName, type Told, TRY_MS } from './operations.js';
import { NAME, type Stage, type StageOptions } from './stage.js';
import { type Cell, TABLE } from './table.js';

/** One cell of the table, to be played. */
export interface FaultCase {
  readonly title: string;
  readonly operation: OperationName;
  readonly row: FaultRow;
  readonly ever: boolean;
  readonly expected: Cell;
  readonly atLeastMs: number;
  readonly atMostMs: number;
}

/** The pause before a second try is shorter: src/core/try-loop.ts. */
const FIRST_PAUSE_MS = 50;
/** For all that is no waiting, on a machine that is busy with other things. */
const SLACK_MS = 2_500;
/** Timers and budgets are read some instructions apart. */
const EARLY_MS = 20;

export function casesOf(options: StageOptions): FaultCase[] {
  const names = Object.keys(OPERATIONS) as OperationName[];
  return names.flatMap((operation) =>
    FAULTS[options.store].flatMap((row) => [
      caseOf(operation, row, false, options),
      ...(row.ever ? [caseOf(operation, row, true, options)] : []),
    ]),
  );
}

function caseOf(operation: OperationName, row: FaultRow, ever: boolean, options: StageOptions): FaultCase {
  const { tryMs = TRY_MS, everMs }: Operation = OPERATIONS[operation];
  const waitMs = row.atLeastMs === 'try' ? tryMs : (row.atLeastMs ?? 0);
  return {
    title: `${operation}: ${row.title}${ever ? ', every time' : ''}`,
    operation,
    row,
    ever,
    expected: expectedOf(operation, row, ever, options),
    atLeastMs: Math.max(0, Math.min(waitMs, everMs) - EARLY_MS),
    atMostMs: (ever ? everMs : waitMs + FIRST_PAUSE_MS) + SLACK_MS,
  };
}

function expectedOf(operation: OperationName, { kind }: FaultRow, ever: boolean, options: StageOptions): Cell {
  const { struck, once, ever: always } = TABLE[operation];
  const { store, retriesItself } = options;
  if (kind === 'throttled' && retriesItself) {
    // Such a client does not tell why it tried again, and may wait longer than a try.
    const [told, requests, record] = ever ? always.lost : once.lost;
    return [told, requests.replace(`${struck} ${struck}`, `${struck} ${struck} ${struck}?`), record];
  }
  const cell = ever ? always[kind as keyof typeof always] : once[kind];
  return store === 'upstash' ? onRedis(cell) : cell;
}

/** On Redis an acquire is a takeover as well, and a list goes on to read each lock that it has found. */
function onRedis([told, requests, record]: Cell): Cell {
  if (requests.includes('takeover'))
    return [told, requests.slice('acquire '.length).replaceAll('takeover', 'acquire'), record];
  if (told === NAME && requests.startsWith('list')) return [told, 'list+ get', record];
  return [told, requests, record];
}

/** What came of one play of a case. */
interface Played {
  readonly told: string;
  readonly requests: string;
  readonly record: string;
  readonly tookMs: number;
  readonly attempts: number;
  /** Of the run that was told of, and of the record where it is that run's. */
  readonly tokens: ReadonlySet<unknown>;
  /** The longest that this process, or the store, stood still. */
  readonly stalledMs: number;
}

/** A machine that stands still so long is a fault of its own, and the case is played again. */
const STALL_MS = 250;
const MOST_PLAYS = 6;

/** Plays a case and compares all that came of it. */
export async function check(stage: Stage, one: FaultCase): Promise<void> {
  let played = await play(stage, one);
  for (let plays = 1; played.stalledMs > STALL_MS && plays < MOST_PLAYS; plays++) played = await play(stage, one);
  const { told, requests, record, tookMs, attempts, tokens } = played;

  expect({ told, requests, record }).toEqual({
    told: one.expected[0],
    requests: expect.stringMatching(patternOf(one.expected[1], ' ')),
    record: expect.stringMatching(patternOf(one.expected[2], ', ')),
  });
  expect(tookMs).toBeGreaterThanOrEqual(one.atLeastMs);
  expect(tookMs).toBeLessThan(one.atMostMs);
  expect(attempts).toBeLessThanOrEqual(1);
  expect(tokens.size).toBeLessThanOrEqual(1);
}

async function play(stage: Stage, { operation, row, ever }: FaultCase): Promise<Played> {
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
    const told: Told = await ask(scene, ever ? 'little' : 'enough').catch(failureTold);
    const tookMs = performance.now() - startedAt;
    stalls.disable();

    const { text: record, fencingToken } = await scene.record();
    const isOfTheRun = told.fencingToken !== undefined && /^(held|released), of ours/.test(record);
    return {
      told: told.text,
      requests: scene.proxy.requests().map(scene.verbOf).join(' '),
      record,
      tookMs,
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

/** A cell's words as a pattern: `verb+` is one or more, `word?` may be missing. */
function patternOf(words: string, separator: string): RegExp {
  const parts = words.split(separator).map((word, i) => {
    const lead = i === 0 ? '' : separator;
    if (word.endsWith('+')) return `${lead}${word.slice(0, -1)}(${separator}${word.slice(0, -1)})*`;
    return word.endsWith('?') ? `(${lead}${word.slice(0, -1)})?` : `${lead}${word}`;
  });
  return new RegExp(`^${parts.join('')}$`);
}
