import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.js';
import { type Host, main } from '../../src/cli/main.js';
import type { Option } from '../../src/cli/option.js';
import { safeJson, safeText, withoutSecrets } from '../../src/cli/safe-text.js';
import { systemClock } from '../../src/core/values/clock.js';
import { innerCli } from '../support/inner-cli.js';
import { cliStage, freshName, ran, taken } from './stage.js';

/*
 * Any command line ends with an exit code that docs/cli.md names, says in one line what is wrong, and changes no lock
 * unless it says that it did. Command lines run in this process, which is fast enough to try many of them.
 */

const stage = cliStage();
const TARGET = 'target';
const EXITS = [0, 1, 2, 3, 69, 70, 75, 126, 127];
/** Commands that may change a lock if they end with 0. `run` may change one with any exit code. */
const MAY_CHANGE = ['unlock', 'pause', 'resume', 'backfill', 'forget', 'delete', 'run'];

const OPTIONS = [...new Set(COMMANDS.flatMap(({ options }) => Object.keys(options)))]
  // Options that many commands share, and options that no command has.
  .concat('json', 'prefix', 'upstash', 'help', 'redis-url', 'table', 'endpoint', '__proto__', 'constructor', 'x');
const PASSWORD = 'hunter2';
const VALUES = [
  // What an option or a number may be mistaken for.
  ...['', ' ', '-', '--', '---', '-x', '-1', '0', '1', '1e9', 'NaN', '9'.repeat(30)],
  ...[TARGET, 'nobody', 'nearest', 'none', 'true', 'table', 'create', 'help'],
  // What a program, a shell or a terminal would obey.
  ...['__proto__', 'constructor', 'toString', '../../x', '$(reboot)', '`x`', "'", '"', '{}', '[]'],
  ...['\x1b[2J\x1b]0;x\x07', 'a\0b', 'a\nb', '\u202e', '\ud800', 'é', 'e\u0301', '🔒', 'x'.repeat(200)],
  // Durations, instants, schedules and addresses, and what looks like one.
  ...['15m', 'P1M', '-5m', '2h', '1ms', '90d', 'tomorrow', '1763629200000', '1970-01-01T00:00:00Z'],
  ...['2026-11-20T09:00:00Z', '2026-11-20T23:59:59Z', '2026-13-45T99:00:00Z', 'Mars/Olympus', 'UTC'],
  ...['* * * * *', '0 9 31 2 *', 'cron(0 2 * * ? *)', 'cron(', 'rate(0 minutes)', 'at(2020-01-01T00:00:00)'],
  ...[`redis://user:${PASSWORD}@`, 'redis://[', 'http://'],
];

/** Valid values of options. */
const FITTING: Readonly<Record<string, readonly string[]>> = {
  tick: ['2026-11-20T09:00:00Z', '2026-11-20T08:00:00.5+01:00', '1763629200000'],
  token: ['1', '9007199254740991'],
  from: ['2026-11-19T00:00:00Z', '1970-01-01T00:00:00Z'],
  to: ['2026-11-20T00:00:00Z', '2099-01-01T00:00:00Z'],
  schedule: ['0 * * * *', 'rate(5 minutes)', '1ms', '0 0 29 2 *', 'cron(0 2 * * ? *)', '0 9 31 2 *'],
  'time-zone': ['Europe/Berlin', 'UTC'],
  until: ['2h', '2099-01-01T00:00:00Z'],
  idle: ['0s', '90d', 'P1D'],
  count: ['1', '1000'],
  infra: ['cdk', 'sam', 'terraform'],
};

const word = fc.oneof(fc.constantFrom(...VALUES), fc.string({ unit: 'binary', maxLength: 20 }));
/** A word for the name of a lock or a person. It contains no password, because names are shown. */
const nameWord = word.filter((text) => !text.includes(PASSWORD));
const valueFor = (option: string) => (option === 'by' || option === 'name' ? nameWord : word);
const rarely = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: rare });

/** An option with a value, as one word or as two. */
const given = (name: string, values: fc.Arbitrary<string>) =>
  fc.oneof(
    values.map((value) => [`--${name}=${value}`]),
    values.map((value) => [`--${name}`, value]),
  );
const anyOption = fc
  .constantFrom(...OPTIONS)
  .chain((name) => fc.oneof(fc.constant([`--${name}`]), given(name, valueFor(name))));

/** An option of the command, mostly with a valid value. */
const ownOption = ([name, { value }]: [string, Option]) =>
  value === undefined
    ? fc.constant([`--${name}`])
    : given(name, rarely(FITTING[name] ? fc.constantFrom(...FITTING[name]) : valueFor(name), valueFor(name)));

/** All commands but `console`, which runs until a signal. */
const ENDING = COMMANDS.filter(({ name }) => name !== 'console');

/** A command line that is nearly right. */
const commandLine = fc.constantFrom(...ENDING).chain(({ name, operands, options, usage }) => {
  const [least] = operands;
  const own = Object.entries(options);
  const operand = rarely(
    fc.constantFrom(...(name === 'next' ? (FITTING['schedule'] ?? []) : [TARGET, 'nobody'])),
    nameWord,
  );
  return fc
    .tuple(
      rarely(
        fc.constant(name.split(' ')),
        word.map((typed) => [typed]),
      ),
      fc.array(operand, { minLength: least, maxLength: least }),
      fc.oneof(
        fc.constant([]),
        own.length === 0 ? fc.constant([]) : fc.subarray(own).chain((some) => fc.tuple(...some.map(ownOption))),
      ),
      rarely(fc.constant([] as string[]), anyOption),
      rarely(
        fc.constant<string[]>(usage.includes('--name N') ? ['--name', 'nobody'] : []),
        word.map((stray) => [stray]),
      ),
      fc.constant(usage.includes('-- ') ? ['--', 'no-such-command'] : []),
    )
    .map(([command, words, chosen, ...rest]) => [...command, ...words, ...chosen.flat(), ...rest.flat()]);
});

/** Runs a command line in this process. */
async function here(args: readonly string[], env: NodeJS.ProcessEnv) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  const shown = Promise.all([text(stdout), text(stderr)]);
  const host = { stdin, stdout, stderr, env, cwd: () => stage().cli.folder } as unknown as Host;
  const code = await main(args, host, systemClock);
  stdout.end();
  stderr.end();
  const [out, err] = await shown;
  return { code, out, err };
}

/** The characters that a terminal would obey, except the line feed. */
const OBEYED = /[^\P{Cc}\n]|[\p{Cf}\p{Surrogate}\p{Zl}\p{Zp}]/u;

describe('any command line', () => {
  beforeAll(async () => {
    const { store } = stage().on('redis');
    await ran(store, TARGET, new Date('2026-11-20T09:00:00Z'), 'failed');
    await taken(store, TARGET, { tick: Date.UTC(2026, 10, 20, 10) });
  });

  test('ends with a named error or the right answer, and changes no lock without saying so', async () => {
    const { admin, args } = stage().on('redis');
    const env = { REDIS_URL: args[1], AWS_ENDPOINT_URL: stage().on('dynamodb').args[3], AWS_REGION: 'local' };
    const seen = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(commandLine, async (line) => {
        const before = await admin.get(TARGET);
        const { code, out, err } = await here(line, env);
        seen.set(code, (seen.get(code) ?? 0) + 1);

        expect(EXITS).toContain(code);
        expect(out + err).not.toMatch(OBEYED);
        expect(out + err).not.toContain(PASSWORD);
        expect(out + err).not.toMatch(/\n {4}at .*:\d+:\d+/);
        if (code !== 0 && line[0] !== 'run' && out === '')
          expect(err).toMatch(/^single-execution: \S.*\n$|^.*\n(?:.*\n)?$/);
        const said = code === 0 || line[0] === 'run';
        if (!(said && MAY_CHANGE.includes(line[0] ?? ''))) {
          expect(await admin.get(TARGET)).toEqual(before && { ...before, readAt: expect.any(Date) });
        }
      }),
      { numRuns: 1_000 },
    );

    // The command lines must be varied enough to reach each of these exit codes.
    expect([...seen.keys()]).toEqual(expect.arrayContaining([0, 1, 2, 3]));
  }, 300_000);
});

test('a terminal is never given what it would obey, and JSON parses to the same value', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      expect(safeText(value)).not.toMatch(/[\p{Cc}\p{Cf}\p{Surrogate}\p{Zl}\p{Zp}]/u);
      expect(safeJson({ value })).not.toMatch(OBEYED);
      expect(JSON.parse(safeJson({ value }))).toEqual({ value });
    }),
  );
});

test('no user or password of a URL, and no secret of the environment, is shown', () => {
  const told = withoutSecrets('redis://ada:pass@word@host:1/0 and token-123', ['token-123', '']);

  expect(told).toBe('redis://***@host:1/0 and ***');
});

test.each(['UPSTASH_REDIS_REST_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'])(
  'the value of %s is a secret',
  async (variable) => {
    const { stderr } = await innerCli(['token-123'], { [variable]: 'token-123' });

    expect(stderr).toMatch(/^single-execution: .*'\*\*\*'/);
  },
);

test('a stored holder cannot write to the terminal', async () => {
  const { run, json, store } = stage().on('redis');
  const name = freshName();
  const lockedBy = '\x1b[2Jweb\u009b1\u202e';
  await taken(store, name, { lockedBy });

  for (const args of [['ls'], ['show', name], ['why', name], ['run', '--name', name, '--', 'true']]) {
    const { stdout, stderr } = await run(...args);
    expect(stdout + stderr).toContain('\\x1b[2Jweb\\x9b1\\u{202e}');
    expect(stdout + stderr).not.toMatch(OBEYED);
  }
  expect(await json('show', name)).toMatchObject({ lockedBy });
});

describe('a command line', () => {
  test.each<[string, RegExp]>([
    ['', /usage: single-execution COMMAND/],
    ['lss', /unknown command 'lss'; did you mean ls\?/],
    ['table', /unknown command 'table': use table create/],
    ['ls --tabel x', /unknown option '--tabel' of ls; did you mean --table\?/],
    ['ls --table', /--table needs a value: pass --table=NAME/],
    ['ls --table --json', /--table needs a value/],
    ['ls --json=yes', /--json takes no value, and 'yes' was passed/],
    ['ls --json --json', /--json was passed twice/],
    ['ls x', /ls does not take 'x'/],
    ['show', /show needs more: single-execution show NAME/],
    ['show a\nb', /control character/],
    [
      'ls',
      /no store is named: pass --table NAME, --redis-url URL, --upstash, .* or --[\w-]+ \w+, or set LOCK_TABLE, REDIS_URL, .* or \w+/,
    ],
    ['ls --table x --upstash', /--table and --upstash name two stores/],
    ['ls --sqlite x --upstash', /--upstash and --sqlite name two stores/],
    ['ls --sqlite x --region y', /--region is for DynamoDB: pass --table too/],
    ['ls --sqlite no-folder/x.db --table a.b.c', /table is 'a.b.c': pass the name of a table/],
    ['ls --postgres-url postgres://ada:hunter2@x --table a.b.c', /table is 'a.b.c': pass the name/],
    ['ls --azure-table locks', /needs AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT with/],
    ['ls --azure-table locks --table x', /--table and --azure-table name two stores/],
    ['ls --upstash', /needs UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN/],
    ['ls --redis-url http://ada:hunter2@x', /--redis-url is no URL of a Redis/],
    ['ls --redis-url redis://ada:hunter2@x/jobs', /--redis-url has a path that is no number: .* write %2F/],
    ['ls --redis-url redis://ada:hunter2@x/1/2', /--redis-url has a path that is no number/],
    ['ls --redis-url redis://ada/hunter2@x', /--redis-url has a path that is no number/],
    ['ls --postgres-url mysql://ada:hunter2@x', /--postgres-url is no URL of a Postgres/],
    ['ls --mysql-url mysql://ada:hunter2%@x', /--mysql-url has a % that encodes nothing: write %25/],
    ['ls --redis-url redis://ada:hunter2%ff@x', /--redis-url has a % that encodes nothing: write %25/],
    ['ls --watch --table x', /--watch needs a terminal/],
    ['run --name x ls', /put -- before the command/],
    ['run --name x --table x', /needs a command: put it behind --/],
    ['run --table x -- ls', /run needs --name/],
    ['run --name x --table x -- ', /the command behind -- is ''/],
    ['--table x', /usage: single-execution COMMAND/],
    ['--table --json ls', /--table needs a value/],
    ['--watch ls', /'--watch' comes before the command/],
    ['run --name x --tick nearest --table x -- ls', /--tick nearest needs --schedule/],
    ['run --name x --tick-from kubernetes --table x -- ls', /needs JOB_NAME: set .*'batch.kubernetes.io\/job-name'/],
    ['run --name x --tick-from nomad --table x -- ls', /'nomad': the only one is kubernetes/],
    ['run --name x --tick-from kubernetes --tick nearest --table x -- ls', /--tick and --tick-from exclude each other/],
    ['run --name x --schedule 15m --table x -- ls', /no schedule says when ticks are due/],
    ['run --name x --schedule at(2198-01-01T00:00:00) --table x -- ls', /over 5m ahead of/],
    ['run --name x --schedule at(2010-01-01T00:00:00) --table x -- ls', /before 2015/],
    ['run --name x --at-most 1ms --table x -- ls', /lockAtMostFor is 1ms: pass 1s to 24h/],
    ['run --name x --at-most 5000 --table x -- ls', /lockAtMostFor is '5000', which has no unit: write '5000ms'/],
  ])('%j exits with 2 and says why', async (line, why) => {
    const { code, stdout, stderr } = await innerCli(line === '' ? [] : line.split(' '));

    expect({ code, told: stdout + stderr }).toEqual({ code: 2, told: expect.stringMatching(why) });
    expect(stdout + stderr).not.toContain('hunter2');
  });

  test('options of the store may stand before the command', async () => {
    const { args, env } = stage().on('redis');

    expect(await innerCli([...args, '--json', 'show', freshName()], env)).toMatchObject({ code: 3 });
    const run = [...args, 'run', '--name', freshName(), '--', 'sh', '-c', 'exit 7'];
    expect(await innerCli(run, env)).toMatchObject({ code: 7 });
  });

  test('the help of run puts options before the command to run', async () => {
    const { stdout } = await innerCli(['run', '--help']);
    expect(stdout).toMatch(/\[OPTIONS\]\s+-- COMMAND/);
  });

  test('each command has a page of help with an example', async () => {
    for (const { name } of COMMANDS) {
      const { code, stdout } = await innerCli([...name.split(' '), '--help']);
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringContaining(`EXAMPLE\n    single-execution ${name} `),
      });
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThan(140);
    }
  });
});
