import { readFile, writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { applies, difference, KINDS, type Kind, type Scenario, type Suite } from './scenario.js';
import { SUITES } from './suites.js';

const PAGE = new URL('../../docs/conformance.md', import.meta.url);

/** A scenario that ended on a store as expected: it passed, or it failed with the difference that is explained. */
export interface Result {
  readonly suite: Suite;
  readonly kind: Kind;
  readonly scenario: Scenario;
}

/** Compares the page with the results of this run. `npm run conformance` writes the page instead. */
export async function checkPage(results: readonly Result[], redisVersion: string): Promise<void> {
  const page = pageOf(results, redisVersion);
  if (process.env['CONFORMANCE_PAGE'] === 'write') await writeFile(PAGE, page);
  else expect(withoutVersion(page)).toBe(withoutVersion(await readFile(PAGE, 'utf8')));
}

/** The page without Redis's version, which differs between machines. */
const withoutVersion = (page: string): string => page.replace(/Redis \d+\.\d+\.\d+/, 'Redis');

function pageOf(results: readonly Result[], redisVersion: string): string {
  return [
    '# Conformance: the tests of others',
    '',
    'Other projects have written tests for their locks. We run them against our stores: in memory, on DynamoDB Local 3.3, on Redis, and on Redis behind the REST protocol of Upstash. `npm run conformance` runs them and writes this page. They are also part of `npm test`, which fails if this page shows another count than the run. If the [contract of our stores](custom-store.md) has a case for what a scenario expects, that case stands for it: the tests of each store play it.',
    '',
    `The figures are of Redis ${redisVersion}. A cell says how many scenarios pass, of those that apply to a store.`,
    '',
    `| suite | scenarios | ${KINDS.join(' | ')} | [other answers](#where-we-answer-otherwise) | not for us |`,
    `|---|---|${KINDS.map(() => '---|').join('')}---|---|`,
    ...SUITES.map((suite) => rowOf(suite, results)),
    '',
    ...SUITES.flatMap(({ name, source, how }) => [`- **${name}**: ${source}. ${how}`]),
    '',
    '## Where we answer otherwise',
    '',
    'These scenarios run as the other project states them, and must fail here. If one of them passes, its line below is no longer true, and the test fails.',
    '',
    '| suite | what they expect | where | why our answer is another |',
    '|---|---|---|---|',
    ...SUITES.flatMap((suite) => tableOf(suite, ({ play }) => play !== undefined)),
    '',
    '## What does not apply',
    '',
    'These ask for something that does not exist here.',
    '',
    '| suite | what they expect | why there is nothing to test |',
    '|---|---|---|',
    ...SUITES.flatMap((suite) => tableOf(suite, (one) => !applies(one))),
    '',
  ].join('\n');
}

function rowOf(suite: Suite, results: readonly Result[]): string {
  const { name, scenarios } = suite;
  const played = scenarios.filter(applies);
  const cells = KINDS.map((kind) => {
    const ended = results.filter((result) => result.suite === suite && result.kind === kind);
    const passed = ended.filter(({ scenario }) => difference(scenario, kind) === undefined);
    return `${passed.length} of ${played.length}`;
  });
  const otherwise = played.filter(({ differs }) => differs !== undefined).length;
  return `| ${[name, scenarios.length, ...cells, otherwise, scenarios.length - played.length].join(' | ')} |`;
}

function tableOf({ name, scenarios }: Suite, belongs: (scenario: Scenario) => boolean): string[] {
  return scenarios.flatMap((scenario) => {
    const { name: title, play, differs, differsOn } = scenario;
    if (differs === undefined || !belongs(scenario)) return [];
    const where = play ? [differsOn?.join(', ') ?? 'all stores'] : [];
    return [`| ${[name, title, ...where, differs].join(' | ')} |`];
  });
}
