import type { Command, Session } from '../command.js';
import { EXIT } from '../exit-code.js';
import { storeAddress } from '../store/open-store.js';
import type { Colour } from '../terminal.js';
import { printTable } from '../text-table.js';
import type { Finding } from './finding.js';
import { lookAtRedis, lookAtUpstash } from './look-at-redis.js';
import { lookAtTable } from './look-at-table.js';

const COLOURS: Readonly<Record<Finding['status'], Colour>> = {
  ok: 'green',
  warning: 'yellow',
  problem: 'red',
  unknown: 'dim',
};

export const doctor: Command = {
  name: 'doctor',
  summary: 'look for what is wrong with a store',
  usage: '',
  operands: [0, 0],
  options: {},
  about: [
    "DynamoDB: the table, its keys, its time to live, its replicas, the rights of this role, this host's clock. Redis: scripts, version, role, eviction, persistence, clock. Nothing is written.",
    'Exits with 1 if there is a problem; a warning is none.',
  ],
  examples: ['single-execution doctor --table locks'],
  async run(session) {
    const findings = await lookAt(session);
    if (session.has('json')) session.terminal.json(findings);
    else print(session, findings);
    return findings.some(({ status }) => status === 'problem') ? EXIT.failed : EXIT.done;
  },
};

function lookAt(session: Session): Promise<readonly Finding[]> {
  const { env, clock } = session;
  const address = storeAddress(session, env);
  if (address.kind === 'redis') return lookAtRedis(address, clock);
  return address.kind === 'upstash' ? lookAtUpstash(address, env, clock) : lookAtTable(address, clock);
}

function print({ terminal }: Session, findings: readonly Finding[]): void {
  printTable(
    terminal,
    ['STATUS', 'CHECK', 'FOUND'],
    findings.map(({ check, status, found }) => [{ text: status, colour: COLOURS[status] }, check, found]),
  );
  for (const { check, remedy } of findings) if (remedy) terminal.line(`${check}: ${remedy}`);
}
