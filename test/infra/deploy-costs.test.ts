import { readFileSync } from 'node:fs';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LockAlarmLevel } from 'single-execution/cdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { digest } from './digest.js';
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
function counted(lockNames: readonly string[], locks: readonly string[], level: LockAlarmLevel = 'all'): Counted {
  const schedule = ScheduleExpression.cron({ minute: '0', hour: '2' });
  const fn = digest({ lockNames, schedules: locks.map((lockName) => ({ schedule, lockName })), alarms: { level } });
  const template = templateOf(fn.stack);
  const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
  const stats = alarms.flatMap(({ Properties }) => Properties.Metrics ?? [{ MetricStat: Properties }]);
  return {
    resources: Object.keys(template.toJSON()['Resources']).length,
    watched: stats.filter(({ MetricStat }) => MetricStat).length,
    metrics: 'SINGLE_EXECUTION_NAMESPACE' in fn.execution.environment ? 2 * fn.execution.lockSets.length : 0,
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

describe('row 77: the costs in the pages', () => {
  let one: Counted;
  let two: Counted;
  let tenant: Counted;
  beforeAll(() => {
    one = counted(['a'], ['a']);
    // The costs of one more lock: those of the third. With the second lock, the alarms change to other metrics too.
    two = less(counted(['a', 'b', 'c'], ['a', 'b', 'c']), counted(['a', 'b'], ['a', 'b']));
    tenant = less(counted(['t/*'], ['t/a', 't/b']), counted(['t/*'], ['t/a']));
  });

  test('row 77: are those of the synthesised stack', () => {
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
  ] as const)('row 77: of level %s are those of the synthesised stack', (name, kinds) => {
    const level = LockAlarmLevel[name];
    const { watched, metrics } = counted(['a'], ['a'], level);
    const further = less(counted(['a', 'b', 'c'], ['a', 'b', 'c'], level), counted(['a', 'b'], ['a', 'b'], level));
    const [first, each] = [dollars(10 * watched + 30 * metrics), dollars(10 * further.watched + 30 * further.metrics)];

    expect(pageOf('alarms')).toContain(
      `| \`${name}\` | ${kinds} | ${price(watched, 10)} | ${price(metrics, 30)} | ${first} | ${each} |`,
    );
  });

  test('row 77: fall from the tenth lock on, whose lost dead letters share one metric', () => {
    const of = (count: number): Counted => {
      const locks = Array.from({ length: count }, (_, n) => `lock-${n}`);
      return counted(locks, locks);
    };
    const [nine, ten] = [of(9), of(10)];

    expect(less(of(11), ten).watched).toBe(two.watched - 1);
    expect(pageOf('costs')).toContain(
      `The tenth lock of a function makes its alarms cheaper, because lost dead letters then share one metric: nine locks have ${nine.watched} watched metrics, ten have ${ten.watched}, and each further lock adds ${two.watched - 1}.`,
    );
  });

  test('row 77: end where CloudFormation does', () => {
    // The command line of CDK adds a resource, AWS::CDK::Metadata, to each stack.
    const limit = LIMIT - 1;
    const functions = Math.floor((limit - STACK.resources) / less(one, STACK).resources);
    const several = counted(['a', 'b'], ['a', 'b']);
    const names = 2 + Math.floor((limit - several.resources) / two.resources);
    const tenants = 1 + Math.floor((limit - one.resources) / tenant.resources);

    expect(pageOf('costs')).toContain(
      `A stack with a lock table fits ${functions} functions of one lock each, or one function of ${names} locks by their whole names, or one of ${tenants} locks of one \`prefix*\`.`,
    );
  });
});
