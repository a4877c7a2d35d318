import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import type { Page } from 'playwright-core';
import type { LockInfo } from 'single-execution/admin';
import { describe, expect, test } from 'vitest';
import { REFRESH_MS } from '../../../src/cli/console/paced-admin.js';
import { systemClock } from '../../../src/core/values/clock.js';
import { cliStage, freshName, ran, taken } from '../stage.js';
import { realChromium } from './browser.js';
import { servedConsole } from './stage.js';

const stage = cliStage();
const open = realChromium();
const at = (day: number, hour = 0) => new Date(Date.UTC(2026, 10, day, hour));
const redis = () => stage().on('redis');

const job = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();
const press = (page: Page, title: string) => page.getByRole('button', { name: title, exact: true }).first().click();
const dialog = (page: Page, title: string) => page.getByRole('dialog', { name: title });
const confirm = (page: Page, title: string) => dialog(page, title).getByRole('button', { name: title }).click();
const state = (page: Page) => page.locator('h2 .state').textContent();

describe('the page of the console', () => {
  test('shows each job, finds one by its name, and tells its last runs in words too', async () => {
    const name = freshName('find-me');
    await ran(redis().store, name, at(20, 1));
    await ran(redis().store, name, at(20, 2), 'failed');
    const page = await open((await servedConsole(stage(), 'redis')).url);

    await page.getByLabel('Find').fill(name);
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    const row = page.getByRole('row').nth(1);
    expect(await row.textContent()).toContain('failed');
    expect(await row.getByRole('img').getAttribute('aria-label')).toBe(
      'last 2 runs: 1 succeeded, 1 failed, 0 crashed; 1 failures in a row; 1 ticks not done',
    );
  });

  test('shows the next ticks of the schedule in the record, without asking for it', async () => {
    const name = freshName('scheduled');
    const schedule = '0 2 * * * in Europe/Berlin';
    const tick = Date.now() - 40 * 86_400_000;
    await taken(redis().store, name, { tick, schedule });
    const page = await open((await servedConsole(stage(), 'redis')).url);
    await job(page, name);

    const ticks = page.getByRole('region', { name: `Next ticks of ${name}` }).getByRole('listitem');
    await expect.poll(() => ticks.count()).toBe(10);
    expect(await ticks.first().textContent()).toMatch(/T0[01]:00:00Z$/);
    expect(await page.getByRole('form', { name: `Next ticks of ${name}` }).count()).toBe(0);
    expect(await page.locator('h2').textContent()).toBe(`${name} held`);
    expect(await page.getByRole('list', { name: 'What is wrong' }).textContent()).toMatch(
      /^overdue 3\w+ Neither .* The last run began \d+m?s ago/,
    );
  });

  test('pauses, resumes and deletes a job, tells the next ticks of a schedule, and can be used with the keyboard alone', async () => {
    const name = freshName();
    await ran(redis().store, name);
    const page = await open((await servedConsole(stage(), 'redis')).url);
    await page.getByRole('link', { name, exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Pause' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => dialog(page, 'Pause').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog(page, 'Pause').isVisible()).toBe(false);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Pause');

    await press(page, 'Pause');
    await dialog(page, 'Pause').getByLabel('Who pauses').fill('ada');
    await confirm(page, 'Pause');
    await expect.poll(() => state(page)).toBe('paused (free)');
    expect(await redis().admin.get(name)).toMatchObject({ paused: { by: 'ada' } });
    await expect.poll(() => page.getByRole('status').textContent()).toBe(`${name} is paused`);
    await press(page, 'Resume');
    await confirm(page, 'Resume');
    await expect.poll(() => state(page)).toBe('free');

    const next = page.getByRole('form', { name: `Next ticks of ${name}` });
    await next.getByLabel('Schedule').fill('0 9 * * *');
    await press(page, 'Show');
    await expect.poll(() => page.locator('.next li').count()).toBe(10);
    expect(await page.locator('.next li').first().textContent()).toMatch(/T09:00:00Z$/);

    await press(page, 'Delete');
    await confirm(page, 'Delete');
    await expect.poll(() => page.getByText(`No job of the name ${name}`).isVisible()).toBe(true);
    expect(await redis().admin.get(name)).toBeUndefined();
  });

  test('unlocks a job, and changes nothing when the question is answered with Cancel', async () => {
    const name = freshName();
    const { fencingToken } = await taken(redis().store, name);
    const page = await open((await servedConsole(stage(), 'redis')).url);
    await job(page, name);
    await press(page, 'Unlock');
    expect(await dialog(page, 'Unlock').textContent()).toContain(`web-1 has held the lock`);
    await dialog(page, 'Unlock').getByRole('button', { name: 'Cancel' }).click();
    expect(await dialog(page, 'Unlock').isVisible()).toBe(false);
    expect(await redis().admin.get(name)).toMatchObject({ state: 'held', fencingToken });

    await press(page, 'Unlock');
    await confirm(page, 'Unlock');
    await expect.poll(() => state(page)).toBe('forced');
    expect(await redis().admin.get(name)).toMatchObject({ state: 'forced' });
  });

  test('lists ticks as open, and says why not where it cannot', async () => {
    const name = freshName();
    await ran(redis().store, name, at(20, 5));
    const page = await open((await servedConsole(stage(), 'redis')).url, {}, /400/);
    await job(page, name);

    await press(page, 'Backfill');
    const form = dialog(page, 'Backfill');
    await form.getByLabel('From').fill(at(20).toISOString());
    await form.getByLabel('To').fill(at(20, 3).toISOString());
    await form.getByLabel('Schedule').fill('at dawn');
    await confirm(page, 'Backfill');
    await expect.poll(() => form.getByRole('alert').textContent()).toContain('at dawn');
    await form.getByLabel('Schedule').fill('0 * * * *');
    await confirm(page, 'Backfill');
    await expect.poll(() => redis().admin.open(name)).toEqual([at(20), at(20, 1), at(20, 2)]);
    await expect.poll(() => page.getByText('of them missed').isVisible()).toBe(true);
  });

  test('offers nothing that changes a job when the console is read-only', async () => {
    const name = freshName();
    await taken(redis().store, name);
    const page = await open((await servedConsole(stage(), 'redis', { readOnly: true })).url);
    await job(page, name);

    expect(await page.getByText('read-only').isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: /Pause|Unlock|Backfill|Delete/ }).count()).toBe(0);
  });

  test('follows what happens without being loaded again', async () => {
    const name = freshName();
    const { fencingToken } = await taken(redis().store, name);
    let aheadMs = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs };
    const page = await open((await servedConsole(stage(), 'redis', { clock })).url);
    await job(page, name);

    await redis().admin.forceRelease(name, { fencingToken });
    aheadMs = REFRESH_MS;
    await expect.poll(() => state(page)).toBe('forced');
    expect(await page.locator('header').textContent()).toContain('reads the store at most every 5s');
  });

  test('shows the page of a job whatever its record holds', async () => {
    const name = freshName();
    const client = new Redis(redis().args[1] as string);
    await ran(redis().store, name, at(20));
    const last = (8_640_000_000_000_000).toString(36);
    const token = (2 ** 53 - 1).toString(36);
    for (const slot of ['r1', 'r2', 'r3']) {
      await client.hset(`lock:${name}`, slot, `s|${last}|${last}|${last}|${token}|${last}`);
    }
    await client.hset(`lock:${name}`, {
      leaseMs: String(2 ** 53 - 1),
      r4: 'c|0|0||0',
      pausedUntil: '8640000000000000',
    });
    client.disconnect();
    const page = await open((await servedConsole(stage(), 'redis')).url);
    await job(page, name);

    await expect.poll(() => page.locator('table.runs tbody tr').count()).toBe(5);
    await page.clock.install();
    await page.clock.runFor(3_000);
    expect(await page.locator('table.runs tbody tr').count()).toBe(5);
    await expect.poll(() => page.locator('svg.timeline').isVisible()).toBe(true);
  });

  test('writes marks that turn the direction of writing as escapes, and acts on the job itself', async () => {
    const name = freshName('evil\u202egnp');
    await taken(redis().store, name, { lockedBy: 'web\u2066-1' });
    const page = await open((await servedConsole(stage(), 'redis')).url);
    const shown = name.replace('\u202e', '\\u{202e}');
    await job(page, shown);

    await press(page, 'Pause');
    await confirm(page, 'Pause');
    await expect.poll(() => state(page)).toBe('paused (held)');
    expect(await redis().admin.get(name)).toMatchObject({ state: 'paused' });
    const text = await page.evaluate<string>('document.body.outerHTML');
    expect(text).toContain(shown);
    expect(text).toContain('web\\u{2066}-1');
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });

  test.each([360, 1280])('fits a window of %i pixels', async (width) => {
    const name = freshName('a-job-with-a-name-that-is-rather-long-for-a-telephone');
    await taken(redis().store, name, { lockedBy: 'function-with-a-long-name $LATEST eu-central-1 7f3c2b1a-0000' });
    const page = await open((await servedConsole(stage(), 'redis')).url, { viewport: { width, height: 700 } });
    const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');

    await page.getByRole('link', { name, exact: true }).waitFor();
    expect(await overflow()).toBeLessThanOrEqual(0);
    await job(page, name);
    await page.locator('h2').waitFor();
    expect(await overflow()).toBeLessThanOrEqual(0);
  });

  test('writes the instants below the picture inside of it, on a phone too', async () => {
    const name = freshName();
    // The failed tick is at midnight, so that its mark and a label of the axis are at the left edge.
    const today = new Date(new Date().setUTCHours(0, 0, 0, 0));
    await ran(redis().store, name, new Date(today.getTime() - 2 * 86_400_000), 'failed');
    await ran(redis().store, name, today);
    const page = await open((await servedConsole(stage(), 'redis')).url, { viewport: { width: 360, height: 700 } });
    await job(page, name);

    const words = page.locator('.axis-words');
    await words.first().waitFor();
    const picture = await page.locator('svg.timeline.large').boundingBox();
    for (const word of await words.all()) {
      const box = await word.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(picture?.x ?? Number.NaN);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((picture?.x ?? 0) + (picture?.width ?? 0));
    }
  });
});

describe('the list of many jobs', () => {
  const now = Date.now();
  const ago = (minutes: number) => new Date(now - minutes * 60_000);
  const lock = (name: string, more: Partial<LockInfo> = {}): LockInfo => ({
    name,
    state: 'free',
    failuresInARow: 0,
    runs: [1, 2, 3].map((n) => ({
      status: 'succeeded',
      lockedAt: ago(n * 60),
      durationMs: 60_000,
      fencingToken: 9 - n,
    })),
    readAt: new Date(now),
    ...more,
  });
  const locks = [
    ...Array.from({ length: 230 }, (_, n) => lock(`job-${String(n).padStart(3, '0')}`)),
    lock('w-failing', {
      failuresInARow: 1,
      runs: [{ status: 'failed', lockedAt: ago(5), durationMs: 1_000, fencingToken: 9 }],
    }),
    lock('x-late', { schedule: '0 0 * * *', doneTick: ago(9_000), runs: [] }),
    lock('y-over', {
      schedule: '*/5 * * * *',
      doneTick: ago(12),
      state: 'held',
      lockedBy: 'web-7',
      fencingToken: 10,
      tick: ago(11),
      lockedAt: ago(11),
      lockUntil: ago(-9),
      // A run of a minute is past its next tick too, at some times of the day.
      runs: [],
    }),
    lock('z-corrupt', { state: 'corrupt', problem: 'fencingToken is seven', runs: [] }),
  ];
  const many = async () => {
    const admin = { ...redis().admin, list: async () => locks };
    return (await servedConsole(stage(), 'redis', { admin })).url;
  };
  const rows = (page: Page) => page.locator('tbody th').allTextContents();
  const found = (page: Page) => page.getByRole('status').textContent();

  test('row 243: has the jobs in trouble first, with what is wrong, and the others on pages', async () => {
    const page = await open(await many());
    await page.getByRole('row').nth(1).waitFor();

    expect((await rows(page)).slice(0, 5)).toEqual(['z-corrupt', 'x-late', 'y-over', 'w-failing', 'job-000']);
    const row = (name: string) => page.getByRole('row', { name });
    expect(await row('z-corrupt').textContent()).toContain('fencingToken is seven');
    expect(await row('x-late').textContent()).toMatch(/overdue \dd/);
    expect(await row('y-over').textContent()).toMatch(/heldpast its next tick for \d+m.*web-7/);
    expect(await row('y-over').locator('.over.past-tick').count()).toBe(1);
    expect(await row('w-failing').textContent()).toContain('last run failed');
    expect(await page.locator('tbody tr').count()).toBe(100);
    expect(await found(page)).toBe('234 of 234 jobs; times in UTC');
    for (const last of ['job-195', 'job-229']) {
      await page.getByRole('navigation').first().getByRole('button', { name: 'Next' }).click();
      expect((await rows(page)).at(-1)).toBe(last);
    }
  });

  test('row 243: is found by the key /, and its filter is in the address', async () => {
    const page = await open(await many());
    await page.getByRole('row').nth(1).waitFor();

    await page.keyboard.press('/');
    await page.keyboard.type('job 01');
    expect(await found(page)).toMatch(/^13 of 234/);
    await page.getByLabel('Last runs of').selectOption('7d');
    const link = page.url();
    await page.keyboard.press('/');
    await page.getByLabel('Find').press('Escape');
    expect(await found(page)).toMatch(/^234 of 234/);
    const late = page.getByRole('button', { name: 'Overdue 1' });
    await late.click();
    expect(await rows(page)).toEqual(['x-late']);
    expect(await late.getAttribute('aria-pressed')).toBe('true');
    expect(page.url()).toMatch(/&show=overdue/);
    await page.keyboard.press('/');
    await page.keyboard.type('/w');
    expect(await page.getByText('has "/w" in its name').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Show all jobs' }).click();
    expect(await found(page)).toMatch(/^234 of 234/);

    await page.goto('about:blank');
    await page.goto(link);
    await expect.poll(() => found(page)).toMatch(/^13 of 234/);
    expect(await page.getByLabel('Find').inputValue()).toBe('job 01');
    await page.getByRole('link', { name: 'job-101' }).click();
    await page.getByRole('link', { name: 'All jobs' }).click();
    expect(await found(page)).toMatch(/^13 of 234/);
  });

  test.each([390, 1280])('row 243: shows all jobs on one axis, in a window of %i pixels', async (width) => {
    const page = await open(`${await many()}&range=6h`, { viewport: { width, height: 700 } });
    await page.getByRole('row').nth(5).waitFor();

    // Of all rows at one instant: the axis moves on with the time.
    const lines = await page.locator('tbody tr').evaluateAll((all) =>
      Object.fromEntries(
        all.map((row) => {
          const grid = [...row.querySelectorAll('.grid')].map((one) => one.getBoundingClientRect().x);
          return [row.querySelector('th')?.textContent ?? '', grid];
        }),
      ),
    );
    expect(lines['job-000']).toEqual(lines['y-over']);
    const labels = page.locator('svg.list-axis text');
    expect((await labels.allTextContents()).at(-1)).toBe('now');
    expect(await labels.count()).toBeGreaterThan(2);
    const boxes = await labels.evaluateAll((all) =>
      all.map((one) => one.getBoundingClientRect()).toSorted((a, b) => a.x - b.x),
    );
    for (const [n, { x }] of boxes.entries()) expect(x).toBeGreaterThanOrEqual(boxes[n - 1]?.right ?? 0);
    expect(await labels.first().isVisible()).toBe(true);
    const [first] = lines['job-000'] ?? [];
    const box = await labels.first().boundingBox();
    expect(Math.abs((box?.x ?? 0) + (box?.width ?? 0) / 2 - (first ?? 0))).toBeLessThan(25);
    await page.evaluate('scrollTo(0, 3_000)');
    expect((await labels.first().boundingBox())?.y).toBeLessThan(40);
  });
});

test('a report shows the same without a console, and nothing to press; a text that looks like an instant stays a text', async () => {
  const { cli, on } = stage();
  const [name, instant] = [freshName('<b>bold</b>'), at(20).toISOString()];
  await ran(redis().store, name, at(20));
  await taken(redis().store, instant, { lockedBy: at(21).toISOString() });
  const file = join(cli.folder, `${freshName('report')}.html`);
  await on('redis').run('console', '--export', file);
  const page = await open(pathToFileURL(file).href);

  await job(page, name);
  expect(await page.locator('h2').textContent()).toContain(name);
  expect(await page.getByText(/report of/).isVisible()).toBe(true);
  expect(await page.getByRole('button').count()).toBe(0);
  await page.goto(pathToFileURL(file).href);
  await job(page, instant);
  expect(await page.locator('dl').textContent()).toContain(`holder${at(21).toISOString()}`);
});

test('a page without the token says what to do', async () => {
  const { url } = await servedConsole(stage(), 'redis');
  const page = await open(url.split('#')[0] as string, {}, /401/);

  expect(await page.getByRole('alert').textContent()).toContain('open the address that the console has printed');
});
