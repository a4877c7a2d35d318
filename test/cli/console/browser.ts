import { execFileSync } from 'node:child_process';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { providePrograms } from '../../support/provided-programs.js';

/** Opens a page in a real Chromium until the test ends. An error of the page fails the test, unless it is expected. */
export type OpenPage = (url: string, look?: Parameters<Browser['newContext']>[0], expected?: RegExp) => Promise<Page>;

/** One Chromium for the tests of a file. */
export function realChromium(): OpenPage {
  let browser: Browser;
  beforeAll(async () => {
    await providePrograms('chromium');
    const executablePath = execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: 0 });
  }, 180_000);
  afterAll(() => browser?.close());

  return async (url, look = {}, expected) => {
    const context = await browser.newContext(look);
    // Only the time limit of the test ends what hangs.
    context.setDefaultTimeout(0);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    onTestFinished(async () => {
      await context.close();
      const surprises = errors.filter((error) => !expected?.test(error));
      if (surprises.length > 0) throw new Error(`the page says: ${surprises.join('; ')}`);
    });
    await page.goto(url);
    return page;
  };
}
