import type { Command } from '../command.js';
import { CliError, EXIT } from '../exit-code.js';
import type { Finding } from '../findings/finding.js';
import { lookForOverdueJobs } from '../findings/look-at-jobs.js';
import { printTable } from '../print.js';
import { given } from '../read-value.js';
import type { Session } from '../session.js';
import { KINDS, namedStore } from '../store/kinds.js';
import type { Colour } from '../terminal.js';
import { lookAtFunction } from './look-at-function.js';

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
    `${KINDS.map(({ title, examined }) => `${title}: ${examined}. `).join('')}No lock is changed.`,
    'A function: its schedule against its timeout, its lease and its retries, from its settings and from the environment that SingleExecutionFunction sets. Without a store only the function is looked at.',
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

/** Checks the store, then the function. If only a function is named, checks no store. */
async function lookAt(session: Session): Promise<readonly Finding[]> {
  const functionName = session.text('function');
  if (functionName === undefined) return lookAtStore(session);
  const tableName = session.text('table') ?? session.env['LOCK_TABLE'];
  const hasStore = tableName !== undefined || KINDS.some(({ option }) => session.has(option));
  const at = given(session, { region: 'region', profile: 'profile' });
  const ofStore = hasStore ? await lookAtStore(session) : [];
  return [...ofStore, ...(await lookAtFunction({ functionName, tableName, at }, session.clock))];
}

async function lookAtStore(session: Session): Promise<readonly Finding[]> {
  const { kind } = namedStore(session, session.env);
  const opened = await session.open().catch((error: unknown): Finding => {
    if (!kind.connects || !(error instanceof CliError)) throw error;
    return { check: 'connection', status: 'problem', found: error.message };
  });
  if ('check' in opened) return [opened];
  const findings = await opened.examine(session);
  // Fix the store first: it may not answer.
  return findings.some(({ status }) => status === 'problem')
    ? findings
    : [...findings, await lookForOverdueJobs(session)];
}

function print({ terminal }: Session, findings: readonly Finding[]): void {
  printTable(
    terminal,
    ['STATUS', 'CHECK', 'FOUND'],
    findings.map(({ check, status, found }) => [{ text: status, colour: COLOURS[status] }, check, found]),
  );
  for (const { check, remedy } of findings) if (remedy) terminal.line(`${check}: ${remedy}`);
}
