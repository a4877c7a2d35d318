import { columns } from '../../support/play/terminal.js';
import type { SoakHistory } from './history.js';
import { leftWithoutRunner } from './hold-invariants.js';
import { besideSuccessor, runsOf, stallsOfMachine } from './reading.js';

/** A soak on one store, as it is counted. */
export interface Soak {
  readonly history: SoakHistory;
  readonly seconds: number;
  /** How many requests each kind of fault has struck. */
  readonly struck: ReadonlyMap<string, number>;
  readonly violations: number;
}

/** One column a store: what was done to it, and what it did. */
export function summaryTable(soaks: readonly Soak[]): string[] {
  const counts = soaks.map(countsOf);
  const names = [...new Set(counts.flatMap((count) => [...count.keys()]))];
  const head = ['', ...soaks.map(({ history }) => history.store)];
  return columns([head, ...names.map((name) => [name, ...counts.map((count) => String(count.get(name) ?? '-'))])]);
}

function countsOf({ history, seconds, struck, violations }: Soak): Map<string, number> {
  const { deliveries, workers } = history;
  const writes = [...history.writes.values()].flat();
  const endings = deliveries.flatMap(({ settled }) => (settled ? [settled.ending] : []));
  const count = (kind: string) => endings.filter((ending) => ending.kind === kind).length;
  return new Map([
    ['seconds', Math.round(seconds)],
    ['ticks', new Set(deliveries.map(({ job, tickMs }) => `${job.name} ${tickMs}`)).size],
    ['ticks that ran', new Set(runsOf(history).map(({ job, tickMs }) => `${job.name} ${tickMs}`)).size],
    ['deliveries', deliveries.length],
    ['grants', deliveries.filter(({ granted }) => granted).length],
    ['runs', runsOf(history).length],
    ['runs that succeeded', count('ran')],
    ['runs that failed', count('failed')],
    ['runs that were asked to stop', count('aborted')],
    ...tallied(
      'skipped: ',
      endings.flatMap((ending) => (ending.kind === 'skipped' ? [ending.reason] : [])),
    ),
    ...tallied(
      'told: ',
      endings.flatMap((ending) => (ending.kind === 'store error' ? [ending.code] : [])),
    ),
    ['deliveries cut short by a kill', deliveries.length - endings.length],
    ['workers', workers.length],
    ['workers with a wrong clock', workers.filter(({ aheadMs }) => aheadMs !== 0).length],
    ['kills', workers.filter(({ killedMs }) => killedMs !== undefined).length],
    ['stops', sum(workers.map(({ stops }) => stops.length))],
    ['stalls of the machine', sum(workers.map(stallsOfMachine))],
    ...[...struck].sort().map(([kind, times]): [string, number] => [`network: ${kind}`, times]),
    ['runs beside a successor, standing still', besideSuccessor(history).length],
    ['witness: accepted', writes.filter(({ isAccepted }) => isAccepted).length],
    ['witness: refused', writes.filter(({ isAccepted }) => !isAccepted).length],
    ['locks left without a runner', leftWithoutRunner(history).length],
    ['violations', violations],
  ]);
}

function tallied(prefix: string, words: readonly string[]): [string, number][] {
  const kinds = [...new Set(words)].sort();
  return kinds.map((kind) => [prefix + kind, words.filter((word) => word === kind).length]);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
