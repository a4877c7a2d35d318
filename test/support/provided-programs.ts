import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { libfaketime } from '../chaos/soak/faked-clock.js';
import { install, unpack } from './debian-packages.js';
import { requireJava17 } from './dynamodb-local-process.js';
import { CACHE } from './made-once.js';
import { requireMariaDB } from './mariadb.js';
import { requirePgBouncer } from './pgbouncer.js';
import { requirePostgres } from './postgres-server.js';
import { requireRedisServer } from './redis-server.js';

/*
 * The programs that tests need besides npm's packages. apt-get installs a missing program, if this user is root or may
 * use sudo without a password. Otherwise Debian's packages are unpacked into the cache of this checkout.
 */

interface Program {
  /** @throws if the program is not found */
  readonly find: () => unknown;
  /** Debian's packages. The second set is for releases that no longer have the first one. */
  readonly packages: readonly (readonly string[])[];
  /**
   * The path of the program among the unpacked files. Absent if it runs only from the place where Debian installs it.
   */
  readonly unpacked?: RegExp;
  readonly brew: string;
}

const run = promisify(execFile);

const PROGRAMS = {
  java: {
    find: requireJava17,
    packages: [['openjdk-17-jre-headless'], ['default-jre-headless']],
    unpacked: /^usr\/lib\/jvm\/[^/]+\/bin\/java$/,
    brew: 'openjdk@17',
  },
  'redis-server': {
    find: requireRedisServer,
    packages: [['redis-server', 'redis-tools']],
    unpacked: /^usr\/bin\/redis-server$/,
    brew: 'redis',
  },
  postgres: {
    find: requirePostgres,
    packages: [['postgresql-15'], ['postgresql-17']],
    brew: 'postgresql@17',
  },
  pgbouncer: {
    find: requirePgBouncer,
    packages: [['pgbouncer']],
    unpacked: /^usr\/sbin\/pgbouncer$/,
    brew: 'pgbouncer',
  },
  mariadb: {
    find: requireMariaDB,
    packages: [['mariadb-server-core']],
    unpacked: /^usr\/sbin\/mariadbd$/,
    brew: 'mariadb',
  },
  libfaketime: {
    find: libfaketime,
    packages: [['libfaketime']],
    unpacked: /\/libfaketimeMT\.so\.1$/,
    brew: 'libfaketime',
  },
  // Runs only from the place where Debian installs it: its folders are part of the program.
  cron: { find: () => access('/usr/sbin/cron', constants.X_OK), packages: [['cron']], brew: 'cron' },
  spin: { find: () => run('spin', ['-V']), packages: [['spin']], unpacked: /^usr\/bin\/spin$/, brew: 'spin' },
  chromium: { find: () => run('chromium', ['--version']), packages: [['chromium']], brew: 'chromium' },
  gcc: { find: () => run('gcc', ['--version']), packages: [['gcc', 'libc6-dev']], brew: 'gcc' },
} as const satisfies Record<string, Program>;

export type ProgramName = keyof typeof PROGRAMS;

/**
 * Makes sure that this process and its children find the programs.
 *
 * @throws Error with the command that installs the missing programs
 */
export async function providePrograms(...names: readonly ProgramName[]): Promise<void> {
  const missing: ProgramName[] = [];
  const reasons: unknown[] = [];
  for (const name of names) {
    const failures = await provide(name, PROGRAMS[name]);
    if (failures === undefined) continue;
    missing.push(name);
    reasons.push(...failures);
  }
  if (missing.length === 0) return;
  const tried = reasons.map((reason) => `  ${String(reason).trim().split('\n').slice(0, 3).join(' ')}`);
  throw new AggregateError(
    reasons,
    `${missing.join(', ')} cannot be provided; ${remedy(missing)}\n${tried.join('\n')}`,
  );
}

/** Provides one program. @returns the failures of all ways; undefined if the program can be used */
async function provide(name: ProgramName, { find, packages, unpacked }: Program): Promise<unknown[] | undefined> {
  const folder = join(CACHE, `debian-${name}`);
  const say = (line: string) => process.stderr.write(`${name} is missing; ${line}\n`);
  const ways: (() => unknown)[] = [
    () => undefined,
    () => addToPath(join(folder, 'bin')),
    ...packages.map((set) => () => install(set, say)),
    ...(unpacked ? packages.map((set) => () => unpack(set, { folder, program: unpacked, say })) : []),
  ];
  const failures: unknown[] = [];
  for (const way of ways) {
    try {
      await way();
      await find();
      return undefined;
    } catch (error) {
      failures.push(error);
    }
  }
  return failures;
}

function addToPath(folder: string): void {
  process.env['PATH'] = `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
}

function remedy(names: readonly ProgramName[]): string {
  const programs = names.map((name): Program => PROGRAMS[name]);
  if (process.platform === 'darwin') {
    const path = names.includes('java') ? ' && export PATH="$(brew --prefix openjdk@17)/bin:$PATH"' : '';
    return `run: brew install ${programs.map(({ brew }) => brew).join(' ')}${path}`;
  }
  if (process.platform === 'linux') {
    const debian = programs.flatMap(({ packages }) => packages[0] ?? []).join(' ');
    return `run: sudo apt-get install ${debian} (other systems: their packages of the same programs)`;
  }
  return 'install them and put them on the PATH; on Windows use WSL with Debian or Ubuntu';
}

// In a bundle this module is part of another program.
if (basename(process.argv[1] ?? '') === 'provided-programs.ts') {
  await providePrograms(...(Object.keys(PROGRAMS) as ProgramName[])).catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}
