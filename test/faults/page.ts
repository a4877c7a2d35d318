import { casesOf } from './cases.js';
import { CLIENT_NAMES } from './clients.js';
import { FAULTS, type FaultKind } from './faults.js';
import type { OperationName } from './operations.js';
import { STAGES } from './stages.js';
import { TABLE } from './table.js';

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
  lost: 'lost: no answer, and not applied',
  unheard: 'unheard: no answer, but applied',
};

/** The section of docs/faults.md that shows the table. */
export function faultsSection(): string {
  const cases = Object.values(STAGES).reduce((sum, options) => sum + casesOf(options).length, 0);
  return `## What a caller sees when requests fail

Every fault on every operation of DynamoDB and of Upstash, ${cases.toLocaleString('en')} cases, played by \`test/faults\` between real clients (${Object.values(
    CLIENT_NAMES,
  )
    .flat()
    .map((name) => `\`${name}\``)
    .join(
      ', ',
    )}, and the newest) and real stores (DynamoDB Local, redis-server). Each case checks what the caller is told, which requests are sent, which record is left, and the time it takes. This section is written from the same table.

| faults | |
|---|---|
${kindRows()}

| | one try is late, throttled, lost or unheard | all are throttled | all are lost | all are unheard |
|---|---|---|---|---|
${operationRows()}

- After silence, what is not granted is cancelled with one request more, unless its tick is done; \`runs\` in the last columns means that the cancel found the lock granted.
- \`release unknown\` replaces neither the value nor the error of a run. Where nothing was applied, its lock is free at the end of the lease, and its tick runs again.
- A code is that of a \`LockStoreError\`. \`onStoreError\` decides about \`UNAVAILABLE\` alone.

| | silence before the next try | all tries, at most |
|---|---|---|
| acquire | 1 s | 5 s, or half of the remaining time |
| takeover (DynamoDB) | 1 s | what the acquire has left, one try at least |
| cancel | 1 s | 2 s, or half of the acquire's |
| release | 1 s | 5 s, or the remaining time less 100 ms |
| extend, mark | 1 s, or half of what is left of the lease | 5 s, or what is left of the lease |
| check-in | 1 s | 5 s |
| operators' verbs | 5 s | 15 s |

An error is followed by another try within 50 ms; further pauses double, up to 1 s. Silence is followed by a try beside the silent one, which stays pending: the first answer counts.
`;
}

function kindRows(): string {
  const rows = (Object.keys(KINDS) as FaultKind[]).map((kind) => {
    const titlesOf = (store: keyof typeof FAULTS) =>
      FAULTS[store].filter((row) => row.kind === kind).map(({ title }) => title.replace(/,( not)? applied$/, ''));
    const [dynamodb, upstash] = [titlesOf('dynamodb'), titlesOf('upstash')];
    const titles = [
      ...dynamodb.map((title) => (upstash.includes(title) ? title : `${title} (DynamoDB)`)),
      ...upstash.filter((title) => !dynamodb.includes(title)).map((title) => `${title} (Upstash)`),
    ];
    return `| ${KINDS[kind]} | ${titles.join('; ')} |`;
  });
  return rows.join('\n');
}

/** The rows of the table. Operations with the same results share a row. */
function operationRows(): string {
  const rows = new Map<string, string[]>();
  for (const [operation, asked] of Object.entries(ASKED)) {
    const told = toldOf(operation as OperationName).join(' | ');
    rows.set(told, [...(rows.get(told) ?? []), asked]);
  }
  return [...rows].map(([told, asked]) => `| ${asked.join(', ')} | ${told} |`).join('\n');
}

function toldOf(operation: OperationName): string[] {
  const { once, ever } = TABLE[operation];
  const oneTry = new Set([once.answered[0], once.throttled[0], once.lost[0], once.unheard[0]]);
  const others = [ever.throttled, ever.lost, ever.unheard];
  return [[...oneTry].join(' or '), ...others.map(([told]) => told)].map(shown);
}

/** A result, as the page shows it. What an operation other than a run returns is just "its answer". */
function shown(told: string): string {
  if (told.startsWith('LockStoreError')) return `\`${told.split(' ')[1]}\``;
  return /^(runs|skipped)/.test(told) ? told : 'its answer';
}
