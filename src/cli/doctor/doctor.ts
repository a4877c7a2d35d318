import type { Command, Session } from '../command.js';
import { given } from '../command-line.js';
import { CliError, EXIT } from '../exit-code.js';
import { printTable } from '../print.js';
import { OF_OTHERS, storeAddress } from '../store/open-store.js';
import type { Colour } from '../terminal.js';
import type { Finding } from './finding.js';
import { lookAtFunction } from './look-at-function.js';
import { lookAtRedis, lookAtUpstash } from './look-at-redis.js';
import { lookAtSql } from './look-at-sql.js';
import { lookAtTable } from './look-at-table.js';

const COLOURS: Readonly<Record<Finding['status'], Colour>> = {
  ok: 'green',
  warning: 'yellow',
  problem: 'red',
  unknown: 'dim',
};

export const doctor: Command = {
  name: 'doctor',
  summary: 'find problems of a store, or of a deployed function',
  usage: '[--function NAME]',
  operands: [0, 0],
  options: { function: { value: 'NAME', help: 'look at this Lambda function too; needs @aws-sdk/client-lambda' } },
  about: [
    "DynamoDB: the table, its keys, its time to live, its replicas, the rights of this role, this host's clock. Redis: scripts, version, role, eviction, persistence, clock. Postgres and SQLite: the table and the rights to it; of Postgres also clock, version, role and durability. No lock is changed.",
    'A function: its schedule against its timeout, its lease and its retries, by its settings and by the environment that SingleExecutionFunction gives it. Without a store only the function is looked at.',
    'Exits with 1 if it finds a problem. Warnings do not count.',
  ],
  examples: ['single-execution doctor --table locks', 'single-execution doctor --function send-digest --table locks'],
  async run(session) {
    const findings = await lookAt(session);
    if (session.has('json')) session.terminal.json(findings);
    else print(session, findings);
    return findings.some(({ status }) => status === 'problem') ? EXIT.failed : EXIT.done;
  },
};

/** Looks at the store, if one is named or no function is, then at the function. */
async function lookAt(session: Session): Promise<readonly Finding[]> {
  const functionName = session.text('function');
  if (functionName === undefined) return lookAtStore(session);
  const tableName = session.text('table') ?? session.env['LOCK_TABLE'];
  const hasStore = tableName !== undefined || OF_OTHERS.some((option) => session.has(option));
  const at = given(session, { region: 'region', profile: 'profile' });
  const ofStore = hasStore ? await lookAtStore(session) : [];
  return [...ofStore, ...(await lookAtFunction({ functionName, tableName, at }, session.clock.now()))];
}

async function lookAtStore(session: Session): Promise<readonly Finding[]> {
  const { kind } = storeAddress(session, session.env);
  const opened = await session.open().catch((error: unknown): Finding => {
    // A client of Redis connects before it is used.
    if (kind !== 'redis' || !(error instanceof CliError)) throw error;
    return { check: 'connection', status: 'problem', found: error.message };
  });
  if ('check' in opened) return [opened];
  switch (opened.kind) {
    case 'dynamodb':
      return lookAtTable(opened, session);
    case 'redis':
      return lookAtRedis(opened, session);
    case 'upstash':
      return lookAtUpstash(opened, session);
    default:
      return lookAtSql(opened, session);
  }
}

function print({ terminal }: Session, findings: readonly Finding[]): void {
  printTable(
    terminal,
    ['STATUS', 'CHECK', 'FOUND'],
    findings.map(({ check, status, found }) => [{ text: status, colour: COLOURS[status] }, check, found]),
  );
  for (const { check, remedy } of findings) if (remedy) terminal.line(`${check}: ${remedy}`);
}
