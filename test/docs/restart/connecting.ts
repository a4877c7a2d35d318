import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KINDS } from '../../../src/cli/store/kinds.js';
import { innerCli } from '../../support/inner-cli.js';
import { allExamples, examplesOf, isOfVitest } from '../examples.js';
import { filesIn, PAGES, read } from '../page.js';
import type { SERVERS } from './servers.js';

/*
 * Finds what connects to a server: a block of a page or of a comment, a file of `handlers`, a file that `init` writes.
 */

/** A program that users see, and the kind of server to which it connects. */
export interface Connecting {
  readonly name: string;
  readonly code: string;
  readonly server: keyof typeof SERVERS;
  /** Further files beside the program, by name. */
  readonly beside: Readonly<Record<string, string>>;
}

type Program = Omit<Connecting, 'server'>;

/** Makes a client, whatever its package. */
const CONSTRUCTS =
  /new (?:\w+\.)?(?:Pool|Client|Redis|IORedis|Cluster|Sentinel)\(|\b(?:createClient|createCluster|createSentinel|createPool|postgres|neon)\(/;

/** The server of each client's package; undefined if no connection to a server stays open, with the reason. */
const SERVER_OF: Readonly<Record<string, keyof typeof SERVERS | undefined>> = {
  pg: 'postgres',
  mysql2: 'mysql',
  postgres: 'postgres',
  ioredis: 'redis',
  redis: 'redis',
  // HTTP: each request stands for itself.
  '@upstash/redis': undefined,
  // A file, or HTTP.
  '@libsql/client': undefined,
};

/** Examples of DynamoDB, whose client is inside the store. Its requests are HTTP: these two stand for all others. */
const ON_DYNAMODB = ['README.md 1', 'docs/guides/leader.md 1'];

/** @throws Error for a client of a package that is not in `SERVER_OF` */
export async function connecting(): Promise<Connecting[]> {
  // Those on DynamoDB come last: it takes much longer to start.
  const programs = [...inPages(), ...inHandlers(), ...(await byInit())].sort(
    (a, b) => Number(ON_DYNAMODB.includes(a.name)) - Number(ON_DYNAMODB.includes(b.name)),
  );
  return programs.flatMap((program) => {
    if (ON_DYNAMODB.includes(program.name)) return [{ ...program, server: 'dynamodb' as const }];
    if (!CONSTRUCTS.test(program.code)) return [];
    const packages = [...program.code.matchAll(/from '((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name = '']) => name);
    const clients = packages.filter((name) => name in SERVER_OF);
    if (clients.length === 0) {
      throw new Error(`${program.name} makes a client of ${packages}: tell in SERVER_OF to which server it connects`);
    }
    return clients.flatMap((name) => SERVER_OF[name] ?? []).map((server) => ({ ...program, server }));
  });
}

function inPages(): Program[] {
  const scripts = PAGES.flatMap((page) => examplesOf(page, 'js')).map((block) => ({
    ...block,
    name: `${block.name} js`,
  }));
  // A test of Vitest is no process that stays.
  return [...allExamples(), ...scripts]
    .filter((example) => !isOfVitest(example))
    .map(({ name, code }) => ({ name, code, beside: {} }));
}

const inHandlers = (): Program[] => filesIn(['handlers'], /./).map((name) => ({ name, code: read(name), beside: {} }));

/** The program that `init` writes for each kind of store with a job of processes. */
async function byInit(): Promise<Program[]> {
  const kinds = KINDS.filter(({ job }) => job);
  return Promise.all(
    kinds.map(async ({ name }) => {
      const folder = await mkdtemp(join(tmpdir(), 'init-'));
      await innerCli(['init', '--name', 'job', '--store', name], {}, { cwd: folder });
      const texts = await Promise.all(['job.cron.mjs', 'job.mjs'].map((file) => readFile(join(folder, file), 'utf8')));
      await rm(folder, { recursive: true });
      const [code = '', work = ''] = texts;
      return { name: `init --store ${name}`, code, beside: { 'job.mjs': work } };
    }),
  );
}
