import { casesOf } from './cases.js';
import { CLIENT_NAMES } from './clients.js';
import { onDatabase } from './columns.js';
import { type FaultKind, NETWORK } from './faults.js';
import type { OperationName } from './operations.js';
import { type Column, TABLE } from './table.js';
import type { Way } from './way.js';

/** The operations, in words for the page. */
const ASKED: Readonly<Record<OperationName, string>> = {
  'acquire, never held': 'a run of a free lock',
  'acquire, given back': 'of one that was given back',
  takeover: 'of one whose holder died',
  'acquire, locked': 'a run while another holds the lock',
  'acquire, tick done': 'a run of a tick that is done',
  cancel: 'a run that was refused after silence, whose cancel is struck',
  release: 'a run whose release is struck',
  'release, lost': 'a run whose lock was forced away, and whose release is struck',
  extend: '`extend`',
  mark: 'a mark of a run that catches up',
  'check-in': 'a check-in of an election',
  get: "operators' `get`",
  list: '`list`',
  forceRelease: '`forceRelease`',
  pause: '`pause`',
  resume: '`resume`',
  delete: '`delete`',
  backfill: '`backfill`',
};

const KINDS: Readonly<Record<FaultKind, string>> = {
  answered: 'late, or twice',
  throttled: 'throttled',
  lost: 'request lost: no answer, and not applied',
  unheard: 'answer lost: applied, but no answer',
};

const count = (cases: number) => cases.toLocaleString('en');

/** The section of docs/faults.md that shows the table. @param given all ways, in the order of the list of backends */
export function faultsSection(given: readonly Way[]): string {
  const isNetwork = ({ faults }: Way) => NETWORK.every((row) => faults.includes(row));
  const ways = [...given.filter(isNetwork), ...given.filter((way) => !isNetwork(way))];
  const cases = ways.flatMap((way) => way.clients.map((client) => casesOf(way, client).length));
  const oldest = Object.values(CLIENT_NAMES).flat();
  return `## What a caller sees when requests fail

Every fault on every operation of each store: ${count(cases.reduce((sum, one) => sum + one, 0))} cases, which \`test/faults\` plays between real clients and real servers. Each case checks what the caller gets, which requests are sent, which record is left, and the time it takes. This section is written from the same table.

| way to the store | real server | clients | faults | cases for each client |
|---|---|---|---|---|
${wayRows(ways)}

The clients of other ages are ${oldest.map((name) => `\`${name}\``).join(', ')}.

| faults | |
|---|---|
${kindRows(ways)}

| | one try is late or throttled, or its request or its answer is lost | all are throttled | all requests are lost | all answers are lost |
|---|---|---|---|---|
${operationRows((operation) => toldIn(TABLE[operation]))}

- If a try was not answered and the lock was not granted, the call sends one more request, a cancel, unless its tick is done. \`runs\` in the last column means that this cancel found that the lock had been granted.
- \`release unknown\` replaces neither the value nor the error of a run. If the release was not applied, the lock is free at the end of the lease, and the tick runs again.
- A code is that of a \`LockStoreError\`. \`onStoreError\` decides only about \`UNAVAILABLE\`.

On Postgres, MySQL, SQLite and Azure each try reads before it writes. The table above holds for their writes, except for these rows, in which the next try reads what the unanswered write has done, and reports it. An operation that only reads leaves nothing to cancel. On a file of SQLite no answer can be lost: a file that is busy counts as throttled.

| | one try is late or throttled, or its request or its answer is lost | all are throttled | all requests are lost | all answers are lost |
|---|---|---|---|---|
${databaseRows()}

| | silence before the next try | all tries, at most |
|---|---|---|
| acquire | 1 s | 5 s, or half of the remaining time |
| takeover (DynamoDB) | 1 s | the rest of the acquire's time, one try at least |
| cancel | 1 s | 2 s, or half of the acquire's |
| release | 1 s | 5 s, or the remaining time less 100 ms |
| extend, mark | 1 s, or half of the rest of the lease | 5 s, or the rest of the lease |
| check-in | 1 s | 5 s |
| operators' verbs | 5 s | 15 s |

After an error, the next try comes within 50 ms; further pauses double, up to 1 s. A call whose next pause is longer than the time that is left ends at once. If a try is silent, the next one starts while the silent one stays pending, and the first answer counts. A client with a connection of its own may end the silence earlier, with the timeout that the page of its store sets: \`socketTimeout\` of ioredis and node-redis, \`query_timeout\` of pg.
`;
}

function wayRows(ways: readonly Way[]): string {
  const rows = ways.map((way) => {
    const titles = way.clients.map(({ title }) => title).join('; ');
    const cases = casesOf(way, way.clients[0]).length;
    return `| ${way.title} | ${way.server} | ${titles} | ${way.faults.length} | ${count(cases)} |`;
  });
  return rows.join('\n');
}

function kindRows(ways: readonly Way[]): string {
  const everywhere = NETWORK.map(({ title }) => title);
  const rows = (Object.keys(KINDS) as FaultKind[]).map((kind) => {
    const titlesOn = ({ faults }: Way) =>
      faults.filter((row) => row.kind === kind).map(({ title }) => title.replace(/,( not)? applied$/, ''));
    const shownTitles = [...new Set(ways.flatMap(titlesOn))].map((title) => {
      const its = ways.filter((way) => titlesOn(way).includes(title)).map((way) => way.title);
      return everywhere.includes(title) ? title : `${title} (${its.join(', ')})`;
    });
    return `| ${KINDS[kind]} | ${shownTitles.join('; ')} |`;
  });
  return rows.join('\n');
}

/** The rows of the table. Operations with the same results share a row. @param toldOf undefined for no row */
function operationRows(toldOf: (operation: OperationName) => string | undefined): string {
  const rows = new Map<string, string[]>();
  for (const [operation, words] of Object.entries(ASKED)) {
    const results = toldOf(operation as OperationName);
    if (results !== undefined) rows.set(results, [...(rows.get(results) ?? []), words]);
  }
  return [...rows].map(([results, words]) => `| ${words.join(', ')} | ${results} |`).join('\n');
}

/** The rows of a database that differ from the table. */
function databaseRows(): string {
  return operationRows((operation) => {
    const told = toldIn(onDatabase(operation));
    return told === toldIn(TABLE[operation]) ? undefined : told;
  });
}

function toldIn({ once, ever }: Column): string {
  const oneTry = new Set([once.answered[0], once.throttled[0], once.lost[0], once.unheard[0]]);
  const others = [ever.throttled, ever.lost, ever.unheard];
  return [[...oneTry].join(' or '), ...others.map(([told]) => told)].map(shown).join(' | ');
}

/** A result, as the page shows it. What an operation other than a run returns is just "its answer". */
function shown(told: string): string {
  if (told.startsWith('LockStoreError')) return `\`${told.split(' ')[1]}\``;
  return /^(runs|skipped)/.test(told) ? told : 'its answer';
}
