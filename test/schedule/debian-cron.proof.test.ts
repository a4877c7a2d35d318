import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cron } from 'single-execution/schedule';
import { describe, expect, test, vi } from 'vitest';
import { libfaketime } from '../chaos/soak/faked-clock.js';
import { providePrograms } from '../support/provided-programs.js';
import { debianCron } from './debian-cron.js';

/*
 * Debian's cron itself, in its own mount namespace, on a clock that runs sixty times as fast. What it starts is counted
 * and not timed, so that a busy machine changes nothing. Only root can give a process its own folders.
 */

const ZONE = 'Europe/Berlin';

/** Jobs whose minutes and hours meet a change of the clock, and the days that their two fields name. */
const JOBS = [
  '30 2 * * *',
  '0,30 2 * * *',
  '*/30 2 * * *',
  '0 2,3 * * *',
  '15 2-3 * * *',
  '15 * * * *',
  '5 */1 * * *',
  '*/20 1-3 * * *',
  '* * * * *',
  '45 2 */2 * 0',
  '45 2 */2 * 1',
  '45 2 1 * 0',
  '45 2 1 * */7',
  '45 2 *,15 * 1',
  '45 2 1-31 * 1',
  '45 2 20-30 * 0-6/2',
];

interface Night {
  /** Local time at which the daemon starts. */
  readonly starts: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** The job that ends the night. */
  readonly last: string;
}

const NIGHTS: Readonly<Record<string, Night>> = {
  spring: {
    starts: '2026-03-29 01:50:30',
    fromMs: Date.parse('2026-03-29T00:51:00Z'),
    toMs: Date.parse('2026-03-29T01:26:00Z'),
    last: '25 3 * * *',
  },
  autumn: {
    starts: '2026-10-25 01:50:30',
    fromMs: Date.parse('2026-10-24T23:51:00Z'),
    toMs: Date.parse('2026-10-25T02:26:00Z'),
    last: '25 3 * * *',
  },
};

/** Runs the daemon through a night. @returns how often it has started each job */
async function play({ starts, last }: Night): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'single-execution-cron-'));
  const at = (name: string) => join(folder, name);
  const lines = [...JOBS, last].map((job, i) => `${job} root echo ${i} >> ${at('log')}`);
  await Promise.all(['spool', 'cron.d', 'run'].map((name) => mkdir(at(name))));
  await Promise.all([
    writeFile(at('cron.d/jobs'), `SHELL=/bin/sh\n${lines.join('\n')}\n`, { mode: 0o644 }),
    writeFile(at('crontab'), ''),
    writeFile(at('log'), ''),
  ]);
  const binds = [
    [at('spool'), '/var/spool/cron/crontabs'],
    [at('cron.d'), '/etc/cron.d'],
    [at('crontab'), '/etc/crontab'],
    [at('run'), '/run'],
  ].map(([from, to]) => `mount --bind ${from} ${to}`);
  const faked = `TZ=${ZONE} LD_PRELOAD=${libfaketime()} FAKETIME='@${starts} x60'`;
  const script = [...binds, `exec env ${faked} cron -f`].join(' && ');
  const daemon = spawn('unshare', ['--mount', 'sh', '-c', script], { stdio: 'ignore' });
  const ended = once(daemon, 'exit');
  const started = async () => (await readFile(at('log'), 'utf8')).split('\n').filter(Boolean).map(Number);
  try {
    await vi.waitFor(async () => expect(await started()).toContain(JOBS.length), { timeout: 400_000, interval: 500 });
    const jobs = await started();
    return JOBS.map((_, i) => jobs.filter((job) => job === i).length);
  } finally {
    daemon.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}

describe
  .skipIf(process.getuid?.() !== 0)
  .concurrent("row 88: Debian's cron, on the night of a change in Berlin", () => {
    test.each(Object.entries(NIGHTS))(
      'starts in %s what its rules say, and cron() has these ticks',
      async (_, night) => {
        await providePrograms('cron', 'libfaketime');
        const counts = await play(night);
        const started = JOBS.map((job) => debianCron(job, ZONE, night.fromMs, night.toMs));
        const ticks = JOBS.map((job) =>
          cron(job, { timeZone: ZONE }).between(new Date(night.fromMs), new Date(night.toMs)).map(Number),
        );

        // The last minutes of a job of every minute may come after the one that ends the night.
        const settled = (all: readonly number[]) =>
          all.map((count, i) => (JOBS[i] === '* * * * *' ? Math.min(count, 30) : count));
        expect(settled(counts)).toEqual(settled(started.map(({ length }) => length)));
        expect(ticks).toEqual(started.map((all) => [...new Set(all.map(Number))]));
      },
      420_000,
    );
  });
