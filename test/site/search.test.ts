import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { placePages } from '../../site/pages.js';
import { searchOptions } from '../../site/search.js';
import { packagesOf } from '../support/package-sets.js';

/** What users type into the search, and where the first hit should lead: a page, or a section of one. */
const QUESTIONS: Readonly<Record<string, string>> = {
  'lambda runs twice': '/questions#my-cron-job-ran-twice-or-lambda-runs-it-twice',
  'cron job ran twice': '/questions#my-cron-job-ran-twice-or-lambda-runs-it-twice',
  'vercel cron 400': '/platforms/vercel',
  neon: '/stores/postgres',
  ttl: '/questions#can-i-set-a-ttl-on-the-table-or-delete-old-rows',
  'mysql lock cron': '/stores/mysql /paths/node-cron-mariadb',
  'skip if still running': '/questions#my-job-overlaps-itself-while-the-last-run-is-still-running',
  'azure timer': '/platforms/azure /questions#azure /comparison#azure-functions-timer',
  'kubernetes cronjob twice': '/deploy/commands#kubernetes-cronjob /paths/kubernetes',
  'run job now': '/guides/run-by-hand /questions#how-do-i-run-a-job-now /deploy/commands#run-it-now',
  'where is the lock stored': '/questions#where-is-the-lock-stored',
  nestjs: '/guides/nestjs /paths/nestjs',
  'node-cron multiple instances': '/platforms/process',
  'pm2 cluster': '/paths/croner-pm2',
  'redis cluster failover': '/stores/redis',
  upstash: '/stores/upstash',
  'cloudflare d1': '/paths/worker-d1 /stores/sqlite',
  'durable objects': '/stores/durable-objects',
  'iam policy': '/deploy/rights',
  terraform: '/deploy/templates',
  'how much does it cost': '/deploy/costs /choose#3-what-does-it-cost',
  'job did not run alert': '/guides/stopped-jobs /questions#my-job-did-not-run-who-alerts-me /on-call#didnotrun',
  'healthcheck monitoring': '/guides/stopped-jobs /guides/telemetry',
  'unlock stuck lock': '/on-call#unlock-a-job-the-holder-is-dead-and-its-lease-still-runs',
  'skipped locked': '/on-call#locked /on-call#every-run-is-skipped-as-locked /on-call#why-a-run-was-skipped',
  'pause a job': '/on-call#pause-or-stop-a-job',
  'missed runs after downtime': '/guides/catch-up',
  'timeout longer than lease': '/guides/lease-times /guides/long-runs',
  'unit test with fake clock': '/guides/testing',
  mongodb: '/questions#mongodb-firestore-s3-etcd-consul',
  'bullmq vs': '/comparison',
  'migrate from shedlock': '/guides/migrating',
  'daylight saving': '/guides/schedules',
  'leader election': '/guides/leader',
  'fencing token': '/guides/effects /glossary',
  'datadog metrics': '/guides/telemetry',
  'webpack error': '/guides/bundlers',
  'github actions': '/deploy/commands#github-actions',
  'google cloud scheduler': '/platforms/google',
  'is it production ready': '/questions#has-it-run-in-production',
  'multi region': '/deploy/regions',
  LockStoreError: '/questions#what-if-the-store-is-down /guides/retries#when-the-store-does-not-answer',
  'sqs fifo': '/questions#why-not-sqs-fifo',
  'crontab two servers': '/paths/crontab',
  'advisory lock': '/questions#why-not-an-advisory-lock-of-postgres',
  prisma: '/stores/postgres /stores/mysql',
  'npm 404 not found': '/install',
};

/** What is used here of the site's own package. */
interface VitePress {
  createServer(
    root: string,
    options: object,
  ): Promise<{ ssrLoadModule(url: string): Promise<{ readonly default: string }>; close(): Promise<void> }>;
}

interface Hit {
  readonly id: string;
}

let search: (query: string) => readonly Hit[];
beforeAll(async () => {
  placePages();
  // Beside Vitest's modules, so that VitePress and its own copy of the search are loaded as the build loads them.
  const { resolve } = await packagesOf('site');
  const vitepress = resolve('vitepress');
  const { createServer } = (await import(vitepress)) as VitePress;
  const { default: MiniSearch } = await import(createRequire(vitepress).resolve('minisearch'));
  const server = await createServer(join(import.meta.dirname, '../../site'), { watch: null });
  // The index of the site, but without the reference by entry point: it takes a minute to write, and ranks last.
  const { default: index } = await server.ssrLoadModule('/@localSearchIndexroot');
  await server.close();
  // As VPLocalSearchBox.vue of VitePress loads it.
  const loaded = MiniSearch.loadJSON(index, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    searchOptions: { prefix: true, boost: { title: 4, text: 2, titles: 1 }, ...searchOptions },
  });
  search = (query) => loaded.search(query);
}, 180_000);

const pageOf = (section = '') => section.split('#')[0];

test('of 47 questions 42 or more find their answer first', () => {
  const wrong = Object.entries(QUESTIONS).flatMap(([query, answers]) => {
    const [first] = search(query);
    const isRight = answers.split(' ').some((it) => it === (it.includes('#') ? first?.id : pageOf(first?.id)));
    return isRight ? [] : [`${query}: ${first?.id}`];
  });

  expect(Object.keys(QUESTIONS)).toHaveLength(47);
  expect(wrong.length, wrong.join('\n')).toBeLessThan(6);
});

test('each question finds its answer among the first five', () => {
  const unfound = Object.entries(QUESTIONS).filter(
    ([query, answers]) =>
      !search(query)
        .slice(0, 5)
        .some(({ id }) => answers.includes(pageOf(id) ?? id)),
  );

  expect(unfound).toEqual([]);
});
