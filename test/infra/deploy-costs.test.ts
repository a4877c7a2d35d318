import { readFileSync } from 'node:fs';
import { LockAlarmLevel } from 'single-execution/cdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { digest, nightly } from './digest.js';
import { templateOf } from './synthesised.js';

const pageOf = (name: string): string => readFileSync(new URL(`../../docs/deploy/${name}.md`, import.meta.url), 'utf8');
const LIMIT = 500;

interface Counted {
  readonly resources: number;
  /** The metrics that all alarms watch. An alarm costs once for each metric that it watches. */
  readonly watched: number;
  /** The metrics that are written: `Executed` and `HoldTime` of each set of locks. */
  readonly metrics: number;
}

/** Counts what a stack of a lock table and one function has. */
function counted(lockNames: readonly string[], locks = lockNames, level: LockAlarmLevel = 'all'): Counted {
  const { stack, execution } = digest({
    lockNames,
    schedules: locks.map((lockName) => ({ schedule: nightly, lockName })),
    alarms: { level },
  });
  const template = templateOf(stack);
  const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
  const stats = alarms.flatMap(({ Properties }) => Properties.Metrics ?? [{ MetricStat: Properties }]);
  return {
    resources: Object.keys(template.toJSON()['Resources']).length,
    watched: stats.filter(({ MetricStat }) => MetricStat).length,
    metrics: 'SINGLE_EXECUTION_NAMESPACE' in execution.environment ? 2 * execution.lockSets.length : 0,
  };
}

const less = (a: Counted, b: Counted): Counted => ({
  resources: a.resources - b.resources,
  watched: a.watched - b.watched,
  metrics: a.metrics - b.metrics,
});

/** The share of the lock table. */
const STACK: Counted = { resources: 1, watched: 0, metrics: 0 };

const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;
const price = (count: number, cents: number): string => (count === 0 ? '–' : `${count}: ${dollars(count * cents)}`);

function row(what: string, { resources, watched, metrics }: Counted): string {
  return `| ${what} | ${resources} | ${price(watched, 10)} | ${price(metrics, 30)} |`;
}

/** The costs of one more lock: those of the third. With the second lock, the alarms change to other metrics too. */
const further = (level?: LockAlarmLevel) =>
  less(counted(['a', 'b', 'c'], undefined, level), counted(['a', 'b'], undefined, level));

describe('row 77: the costs in the pages', () => {
  let one: Counted;
  let two: Counted;
  let tenant: Counted;
  beforeAll(() => {
    one = counted(['a']);
    two = further();
    tenant = less(counted(['t/*'], ['t/a', 't/b']), counted(['t/*'], ['t/a']));
  });

  test('are those of the synthesised stack', () => {
    for (const line of [
      row('the stack: its lock table', STACK),
      row('a function with one lock, or with the locks of one `prefix*`', less(one, STACK)),
      row('each further lock of a function, by its whole name', two),
      row('each further lock of a `prefix*`', tenant),
    ]) {
      expect(pageOf('costs')).toContain(line);
    }
  });

  test.each([
    ['ALL', 'every kind'],
    ['ESSENTIAL', '`DidNotRun`, `Failed`'],
    ['FLEET', '`DeadLetters`, one for each queue'],
  ] as const)('of level %s are those of the synthesised stack', (name, kinds) => {
    const level = LockAlarmLevel[name];
    const first = counted(['a'], ['a'], level);
    const [all, each] = [first, further(level)].map(({ watched, metrics }) => dollars(10 * watched + 30 * metrics));
    const parts = `${price(first.watched, 10)} | ${price(first.metrics, 30)}`;

    expect(pageOf('alarms')).toContain(`| \`${name}\` | ${kinds} | ${parts} | ${all} | ${each} |`);
  });

  test('fall from the tenth lock on, whose lost dead letters share one metric', () => {
    const [nine, ten, eleven] = [9, 10, 11].map((length) => counted(Array.from({ length }, (_, n) => `lock-${n}`))) as [
      Counted,
      Counted,
      Counted,
    ];

    expect(less(eleven, ten).watched).toBe(two.watched - 1);
    expect(pageOf('costs')).toContain(
      `The tenth lock of a function makes its alarms cheaper, because lost dead letters then share one metric: nine locks have ${nine.watched} watched metrics, ten have ${ten.watched}, and each further lock adds ${two.watched - 1}.`,
    );
  });

  test('end where CloudFormation does', () => {
    // The command line of CDK adds a resource, AWS::CDK::Metadata, to each stack.
    const limit = LIMIT - 1;
    const functions = Math.floor((limit - STACK.resources) / less(one, STACK).resources);
    const names = 2 + Math.floor((limit - counted(['a', 'b']).resources) / two.resources);
    const tenants = 1 + Math.floor((limit - one.resources) / tenant.resources);

    expect(pageOf('costs')).toContain(
      `A stack with a lock table fits ${functions} functions of one lock each, or one function of ${names} locks by their whole names, or one of ${tenants} locks of one \`prefix*\`.`,
    );
  });
});
