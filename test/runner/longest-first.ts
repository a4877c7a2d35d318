import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, mostly because they wait. If one of them began last, it would run alone at the end. */
const LONGEST = [
  // Of the proof. The first waits for a clock, and the next two play one client after the other.
  'schedule/debian-cron.proof',
  'clients/postgres.proof',
  'clients/sqlite.proof',
  // A worker keeps the concurrency of its first file, so a file that needs low concurrency is not among the first.
  'infra/deployed-handlers',
  'cli/console/page',
  'conformance/conformance',
  'chaos/election',
  // These are not among the first either: a cold start disturbs a case, which is then played again.
  'faults/dynamodb',
  'faults/postgres',
  'faults/redis',
  'faults/sqlite',
  'faults/upstash',
  'package/module-systems.proof',
  'stores/redis/cluster.proof',
  'chaos/handles',
  'cli/redis-cluster.proof',
  'cli/run',
  'cli/run-processes',
  'docs/first-lock',
  'infra/templates/templates',
  'stores/equality',
  'hostile/records',
  'infra/alarm-table',
  'chaos/many-at-once',
  'chaos/kill-points',
  'stores/dynamodb/contract',
  'stores/sqlite/contract',
  'stores/sqlite/file',
  'stores/redis/contract',
  'stores/postgres/contract',
].map((name) => `test/${name}.test.ts`);

/** Begins with the longest files. A clean clone knows no times of an earlier run. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const paths = LONGEST.map((name) => join(this.ctx.config.root, name));
    const missing = paths.find((path) => !existsSync(path));
    if (missing !== undefined) throw new Error(`${missing} is not there: correct LONGEST in longest-first.ts`);
    const place = ({ moduleId }: TestSpecification): number => {
      const at = paths.indexOf(moduleId);
      return at === -1 ? paths.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
