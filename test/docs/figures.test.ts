import { expect, test } from 'vitest';
import { RECORD_ATTRIBUTES, recordAttributeType } from '../../src/core/values/record-attributes.js';
import { filesIn, PAGES, read, rowsOf, sectionOf } from './page.js';

/* Compares the prose of the pages with the code: limits and times, names, versions, and the attributes of a record. */

const FOLDERS = ['src', 'infra', 'handlers', 'test', 'demo', 'bench', '.github'];
const code = filesIn(FOLDERS, /\.(tsx?|mjs|cjs|json|ya?ml|tf)$/)
  .filter((file) => !/-lock\.json$|figures\.test\.ts$/.test(file))
  .map((file) => ({ page: file, text: read(file) }));
const pages = PAGES.map((page) => ({ page, text: read(page).replaceAll(/^ *```.*?^ *```/gms, '') }));
/** What users read: the pages, and the texts of the library. */
const texts = [...pages, ...code.filter(({ page }) => page.startsWith('src/'))];

/**
 * A file, a constant in it, and the phrases that state its value, with `#` for a number and `@` for a duration. Each
 * text that has one of the phrases must state this value.
 */
const LIMITS = String.raw`
src/core/record/open-ticks.ts KEPT: newest (?!hundred)# (?:open )?ticks ; newest (?!\d\d)# (?:are|and|give) ; more than # ticks wait already ; # or fewer ; (?<!hundred )(?!hundred)# newer ones
src/core/values/tick.ts MOST_LISTED: newest (hundred|\d{2,})\b ; together hold a # ticks
src/core/record/run-ring.ts MOST_RUNS: the last # runs ; the history has # slots ; modulo # ; token mod # ; last success, up to #
src/core/record/lock-record.ts FORCE_STEP: raises it by (?!one)# ; token rises by (?!one)#
src/core/values/names.ts MAX_NAME_BYTES: 1 to # UTF-8 bytes
src/core/run/engine.ts MAX_LOCKED_BY_BYTES: for people; at most # bytes
src/core/values/lease.ts SHORTEST_LEASE_MS: its lock, @ to 24 h
src/core/values/lease.ts LONGEST_LEASE_MS: its lock, 1 s to @
src/core/values/lease.ts LEASE_MARGIN_MS: (?:remaining time|${'`'}maxDuration${'`'})(?: of the invocation)? \+ @
src/core/values/lease.ts CLOCK_SKEW_MS: maxClockSkew${'`'} \| ${'`'}'@'
src/core/values/lease.ts LEAST_GUARD_MS: 1 % of (?:the|a) lease,? (?:and at least|or) @ ; guard = max\(@
src/core/options/lease.ts KEPT_LEASE_MS: keepAlive${'`'} it is ${'`'}'@' ; a lease of @, renewed ; the lease is @ and is renewed ; It is @ by default
src/core/options/catch-up.ts mode, within: within${'`'} \| ${'`'}'@'
src/core/options/catch-up.ts LONGEST_MS: may be, up to ${'`'}'@'
src/core/options/catch-up.ts MOST_TICKS: one run works for, up to #
src/core/run/deadlines.ts GRACE_MS: gracePeriod${'`'} \| ${'`'}'@'
src/core/run/deadlines.ts BUDGET_MS: An acquire has @ ; a release @
src/core/request/attempt.ts CANCEL_BUDGET_MS: a cancel @
src/core/request/turns.ts ABREAST: most # calls of a process ; most # acquires
src/core/wrap/trigger.ts EARLY_MS: two ticks, and by at most @ ; a tenth of it and @
src/core/wrap/trigger.ts SHORTEST_EVERY_MS: @ to 366 d
src/core/wrap/trigger.ts LONGEST_EVERY_MS: \(1 s to @
src/adapters/http-request.ts MAX_AHEAD_MS: time over @ ahead ; time is more than @ ahead
src/adapters/azure.ts EARLY_MS: more than @ before (?:its|the next) occurrence ; last @ before a tick
src/adapters/process-shutdown.ts TWICE_MS: not sooner than @ after
src/leader/election.ts DEFAULT_LEASE: '@'${'`'} \| how long a leader leads
src/stores/dynamodb/answer.ts SLOP_MS: SLOP = @ ; header is right within @
src/core/values/names.ts MAX_PREFIX_BYTES: in the key; at most # bytes
src/stores/dynamodb/options.ts LONGEST_IDLE_MS: closes idle connections after @
src/stores/postgres/postgres.ts MOST_BYTES: part may have # bytes
src/stores/sqlite/libsql-file.ts BUSY_MS: busy timeout of its client to @
src/stores/mysql/mysql-client.ts LONGEST_MS: statement on a pool may take @
src/schedule/schedule-of.ts MOST_LISTED: more than # ticks throw
src/admin/overdue.ts USUAL_GRACE: grace = '@ ; --grace${'`'} \(@
src/admin/tick-verbs.ts MOST_LOOKS: record again, # times at most
src/cli/run/child-command.ts GRACE_MS: SIGKILL @ later ; @ after a signal to end
src/cli/run/watchdog.ts SAID_WITHIN_MS: the same signal within @
src/cli/commands/ls.ts LOOK_EVERY_MS: refreshes them every @
src/cli/console/paced-admin.ts REFRESH_MS: reads the store every @ ; the list is at most @ old
src/cli/console/api.ts NEXT_TICKS: the next # ticks
src/cli/console/console-server.ts MOST_BYTES: longer than # bytes
src/cli/doctor/look-at-function.ts FIRST_RETRY_MS: timeout \+ @
infra/constructs/grant-lock.ts MOST_CHARACTERS: about # characters of names
infra/constructs/lock-environment.ts MOST_BYTES: which takes # bytes
test/stores/dynamodb/cost.test.ts 8, 'the longest': up to (1,30\d|1,29\d) bytes
test/stores/dynamodb/cost.test.ts 100, 'the longest': up to (2,1\d\d) bytes
`
  .trim()
  .split('\n');

const WORDS = 'zero one two three four five six seven eight nine ten'.split(' ');
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const NUMBER = '(\\d[\\d,]*|[a-z]+)';
const DURATION = '(\\d[\\d,]* ?(?:ms|s|m|h|d|seconds?|min|minutes?|hours?|days?))\\b';

/** The value of a number, or of a duration in milliseconds; undefined for another word. */
function quantityIn(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d[\d,]*) ?(ms|[a-z]?)/.exec(text) ?? [];
  if (digits !== '') return Number(digits.replaceAll(',', '')) * (UNITS[unit] ?? 1);
  return text === 'hundred' ? 100 : [WORDS.indexOf(text)].find((value) => value >= 0);
}

/** The value behind a name in a file: a number, a product such as `30 * 86_400_000`, or a duration such as `'15m'`. */
function constant(file: string, name: string): number {
  const [, text = 'none'] = new RegExp(`${name}(?:: \\w+)?(?: =|,) ([^;,]+)[;,]`).exec(read(file)) ?? [];
  if (text.startsWith("'")) return quantityIn(text.slice(1, -1)) ?? Number.NaN;
  return text.split(' * ').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1);
}

/** The places whose phrase states another value; or the phrase, if no text has it. */
function wrongPlaces(phrase: string, value: number): string[] {
  const stated = new RegExp(phrase.replace('#', NUMBER).replace('@', DURATION), 'g');
  const found = texts.flatMap(({ page, text }) =>
    [...text.matchAll(stated)].map(([all, number = '']) => ({ place: `${page}: ${all}`, its: quantityIn(number) })),
  );
  const numbers = found.filter(({ its }) => its !== undefined);
  if (numbers.length === 0) return [`no text has the phrase ${phrase}`];
  return numbers.filter(({ its }) => its !== value).map(({ place }) => `${place}, but it is ${value}`);
}

test.each(LIMITS)('a limit or a time: %s', (line) => {
  const [, file = '', name = '', phrases = ''] = /^(\S+) (.+?): (.*)$/.exec(line) ?? [];

  expect(phrases.split(' ; ').flatMap((phrase) => wrongPlaces(phrase, constant(file, name)))).toEqual([]);
});

/** Names of other programs that no file here uses. Pages about other products are left out altogether. */
const OTHERS = new Set(
  `--cli-read-timeout --cloudformation-execution-policies --create-only --custom --headers --init --invocation-type
   --prod --require-approval --retry --stack-name --test-scheduled --wait DeleteMessage ListBucket PassRole PutObject
   ReceiveMessage RunTask attemptDeadline backoffLimit cfn-exec-role cloud-sql-proxy concurrencyPolicy deploy-role
   disableOfflineQueue drizzle-kit failurePolicy file-publishing-role GatewayVpcEndpointAwsService get-schedule initProcessEnabled lookup-role
   maxRandomDelay min-replicas-max-lag min-replicas-to-write redis-cli requestPayload
   send-digest-default-locks syncUrl systemd-run timeoutEarlyResponse transformIgnorePatterns`.split(/\s+/),
);
const ABOUT_OTHERS = /^docs\/(adr\/|comparison|guides\/(migrating|bundlers))/;
/** An option of a command, a variable, a name in camel case, a quoted value, or words with hyphens. */
const NAME =
  /(?<![\w-])--[a-z][\w-]+|\b[A-Z][A-Z0-9]*_\w+\b|(?<![\w./@-])[A-Za-z][a-z]+[A-Z]\w*|(?<=')[a-z]+(?:-[a-z]+)*(?=')|(?<![\w./@'-])[a-z]+(?:-[a-z]+)+(?![\w./@'-])/g;

test('each name in the prose of the pages is in the code', () => {
  const all = new Set(code.flatMap(({ text }) => text.match(/[\w$]+(?:-\w+)*|--[\w-]+/g) ?? []));
  const named = pages
    .filter(({ page }) => !ABOUT_OTHERS.test(page))
    .flatMap(({ page, text }) =>
      [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, its = '']) =>
        (its.match(NAME) ?? []).map((name) => ({ page, name })),
      ),
    );
  const unknown = named.filter(({ name }) => !all.has(name));

  expect(named.length).toBeGreaterThan(1_500);
  expect(unknown.filter(({ name }) => !OTHERS.has(name))).toEqual([]);
  expect([...OTHERS].filter((other) => !unknown.some(({ name }) => name === other))).toEqual([]);
});

test('docs/protocol.md and docs/stores/dynamodb.md have each attribute of a record', () => {
  const [, section = ''] = read('docs/protocol.md').split('\n| attribute | type | meaning |\n');
  const named = rowsOf(section.split('\n\n')[0] ?? '').flatMap(([cell = '']) => cell.match(/\w{2,}|\bv\b/g) ?? []);
  const ofTypes = [...read('docs/stores/dynamodb.md').matchAll(/^- of type ([NS]): (.*)$/gm)].flatMap(
    ([, type, names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, type]),
  );

  expect(named.filter((name) => !/^r\d$/.test(name)).sort()).toEqual([...RECORD_ATTRIBUTES].sort());
  expect(ofTypes.filter(([name = '']) => !/^r\d$/.test(name)).sort()).toEqual(
    RECORD_ATTRIBUTES.map((name) => [name, recordAttributeType(name)]).sort(),
  );
});

test('docs/versioning.md has the versions that package.json allows, and other pages repeat them', () => {
  const { engines, peerDependencies } = JSON.parse(read('package.json'));
  const [, oldest20 = '', oldest = ''] = /^\^(\S+) \|\| >=(\S+)$/.exec(engines.node) ?? [];
  const called: Readonly<Record<string, string>> = { '@aws-sdk/client-dynamodb': 'AWS SDK |', '@middy/core': 'Middy' };
  const without = /lib-dynamodb|client-lambda|libsql|constructs/;
  const rows = Object.entries<string>(peerDependencies)
    .filter(([name]) => !without.test(name))
    .map(([name, range]) => `${called[name] ?? name} ${range.replace(/^\D+/, '').replace(/(\.0)+$/, '')}`);
  const table = read('docs/versioning.md').split('\n## Semantic')[0] ?? '';

  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter((row) => !new RegExp(`${row.replaceAll(/[|.]/g, '\\$&')}(?![.\\d])`).test(table))).toEqual([]);
  expect(table).toContain(`| Node | ${oldest20} or later of 20, and ${oldest} or later;`);
  expect(read('README.md')).toContain(`${oldest20} is the oldest that works`);
  expect(read('docs/install.md')).toContain(`Node 20 from ${oldest20} on, and Node 22 from ${oldest} on`);
  const paths = pages.flatMap(({ text }) => text.match(/(?<=Node )20[.\d]*(?= or later)/g) ?? []);
  expect([...new Set(paths)]).toEqual([oldest20]);
});

test('docs/reliability.md has the installed versions among those that are tested', () => {
  const { devDependencies } = JSON.parse(read('package.json'));
  const table = sectionOf(read('docs/reliability.md'), '## Tested versions');
  const called =
    'TypeScript=typescript NestJS=@nestjs/core PGlite=@electric-sql/pglite Middy=@middy/core CDK=aws-cdk-lib AWS SDK=@aws-sdk/client-dynamodb';
  const same =
    'vitest esbuild @libsql/client @azure/data-tables @azure/functions @opentelemetry/api @upstash/redis croner ioredis mariadb mysql2 node-cron pg postgres redis';
  const names = [...called.split(/ (?!SDK)/), ...same.split(' ')].map((its) => {
    const [word = '', name = word] = its.split('=');
    return [word, name] as const;
  });
  const missing = names.filter(([word, name]) => {
    const [, listed = ''] = new RegExp(`(?<![\\w/-])${word}(?: \\|)? ((?:(?:, | and )?\\d[\\d.]*)+)`).exec(table) ?? [];
    return !listed.split(/, | and /).some((its) => its !== '' && `${devDependencies[name]}.`.startsWith(`${its}.`));
  });

  expect(missing).toEqual([]);
});

test('each npm script that a page names is in package.json', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const named = [...PAGES, 'CONTRIBUTING.md'].flatMap((page) =>
    [...read(page).matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name),
  );

  expect(named).toContain('demo');
  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
});
