import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { LockInfo } from '../../admin/lock-admin.js';
import { failed } from '../exit-code.js';

/** Where a report's data stand in the page; the console's own page has none. */
const NO_DATA = '<script type="application/json" id="report">null</script>';

/** What a report shows. */
export interface Report {
  readonly at: Date;
  readonly store: string;
  readonly locks: readonly LockInfo[];
}

/** The console's page, one file with all that it needs. @throws CliError where it was not built */
export async function readPage(): Promise<string> {
  const root = dirname(createRequire(import.meta.url).resolve('single-execution/package.json'));
  try {
    return await readFile(join(root, 'dist/console.html'), 'utf8');
  } catch {
    throw failed(
      'the page of the console is missing from the package: install it again, or build it with npm run build',
    );
  }
}

/** The same page with data in it, to be looked at without a console. */
export function reportPage(page: string, report: Report): string {
  // A text in the data cannot end the script.
  const data = JSON.stringify(report).replaceAll('<', '\\u003c');
  return page.replace(NO_DATA, () => NO_DATA.replace('null', () => data));
}
