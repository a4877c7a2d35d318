import { overlaps } from '../../support/history/invariants.js';
import { columns } from '../../support/play/terminal.js';
import { historiesOf } from './facts.js';
import { leftWithoutRunner } from './fleet-invariants.js';
import type { SoakHistory, Worker } from './history.js';
import { SOAK_INVARIANTS } from './invariants.js';
import { runsOf } from './reading.js';

export interface Soak {
  readonly history: SoakHistory;
  readonly seconds: number;
  /** The name of the fault for each request that was struck. */
  readonly struck: readonly string[];
}

/** A table with one column for each store: what was done to it, and what it did. */
export function summaryTable(soaks: readonly Soak[]): string[] {
  const counts = soaks.map(countsOf);
  const names = new Set(counts.flatMap((count) => Object.keys(count)));
  const head = ['', ...soaks.map(({ history }) => history.store)];
  return columns([head, ...[...names].map((name) => [name, ...counts.map((count) => String(count[name] ?? '-'))])]);
}

function countsOf({ history, seconds, struck }: Soak): Record<string, number> {
  const { deliveries, workers } = history;
  const writes = [...history.writes.values()].flat();
  const endings = deliveries.flatMap(({ settled }) => settled?.ending ?? []);
  const ticks = (some: typeof deliveries) => new Set(some.map(({ job, tickMs }) => `${job.name} ${tickMs}`)).size;
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    seconds: Math.round(seconds),
    ticks: ticks(deliveries),
    'ticks that ran': ticks(runsOf(history)),
    deliveries: deliveries.length,
    grants: deliveries.filter(({ granted }) => granted).length,
    runs: runsOf(history).length,
    ...tallied(endings.map((ending) => ending.split('\n', 1)[0] ?? '')),
    'deliveries cut short by a kill': deliveries.length - endings.length,
    workers: workers.length,
    'workers with a wrong clock': workers.filter(({ aheadMs }) => aheadMs !== 0).length,
    kills: workers.filter(({ killedMs }) => killedMs !== undefined).length,
    stops: sum(workers.map(({ stops }) => stops.length)),
    'stalls of the machine': sum(workers.map(stallsOfMachine)),
    ...tallied(struck.map((fault) => `network: ${fault}`)),
    'runs beside a successor, standing still': sum(historiesOf(history).map((ofJob) => overlaps(ofJob).length)),
    'witness: accepted': writes.filter(({ isAccepted }) => isAccepted).length,
    'witness: refused': writes.filter(({ isAccepted }) => !isAccepted).length,
    'locks left without a runner': leftWithoutRunner(history).length,
    violations: sum(Object.values(SOAK_INVARIANTS).map((check) => check(history).breaches.length)),
  };
}

function tallied(words: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...new Set(words)].sort().map((word) => [word, words.filter((one) => one === word).length]),
  );
}

/** How often the machine kept a worker waiting although the play had not stopped it. */
function stallsOfMachine({ stops, stalls }: Worker): number {
  return stalls.filter((stall) => !stops.some((stop) => stop.fromMs < stall.toMs && stall.fromMs < stop.toMs)).length;
}
