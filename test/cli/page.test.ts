import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shiftedClock } from '../support/shifted-clock.js';
import { cliStage, ran, taken } from './stage.js';

/*
 * docs/cli.md shows what commands print. Each of its blocks `console` is run here, in the order of the page, against a
 * real table. `CLI_PAGE=write npx vitest run --no-typecheck test/cli/page.test.ts` writes what they print into the page.
 */

const PAGE = new URL('../../docs/cli.md', import.meta.url);
const BLOCK = /^```console\n(.*?)^```$/gms;
const stage = cliStage();

test('docs/cli.md shows what each command prints', async () => {
  const page = await readFile(PAGE, 'utf8');
  const shell = await scene();
  let printed = page;
  for (const [block, text = ''] of page.matchAll(BLOCK)) {
    const commands = text.split('\n').filter((line) => line.startsWith('$ '));
    const lines: string[] = [];
    for (const command of commands) lines.push(command, ...(await shell(command.slice(2))));
    printed = printed.replace(block, () => ['```console', ...lines, '```'].join('\n'));
  }
  if (process.env['CLI_PAGE'] === 'write') await writeFile(PAGE, printed);
  else expect(masked(page)).toEqual(masked(printed));
}, 120_000);

/** The jobs of the page, and a shell beside them. @returns what a command prints, line by line */
async function scene(): Promise<(command: string) => Promise<string[]>> {
  const { cli, on } = stage();
  const { store, admin, args } = on('dynamodb');
  const at = (day: number, hour: number) => new Date(Date.UTC(2026, 10, day, hour));
  await ran(store, 'nightly-report', at(19, 2));
  await ran(store, 'nightly-report', at(20, 2));
  await ran(store, 'send-digest', at(20, 9));
  await taken(store, 'send-digest', {
    tick: at(20, 10).getTime(),
    lockedBy: 'web-1 process 4711',
    leaseMs: 900_000,
    clock: shiftedClock(-130_000),
  });
  await ran(store, 'import-prices', at(20, 8), 'failed');
  await ran(store, 'import-prices', at(20, 9));
  await ran(store, 'import-prices', at(20, 10), 'failed');
  await admin.pause('import-prices', { by: 'ada' });
  await admin.delete('first', { fencingToken: (await admin.get('first'))?.fencingToken ?? 0 });

  const bin = join(cli.folder, 'bin');
  await mkdir(bin);
  await chmod(cli.path, 0o755);
  await symlink(cli.path, join(bin, 'single-execution'));
  const [, tableName = '', , endpoint] = args;
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, PATH, HOME } = process.env;
  const env = {
    PATH: `${bin}:${PATH}`,
    HOME,
    AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY,
    AWS_REGION: 'local',
    AWS_ENDPOINT_URL: endpoint,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    LOCK_TABLE: tableName,
  };
  return (command) =>
    new Promise((resolve) => {
      execFile('sh', ['-c', `${command} 2>&1`], { env, cwd: cli.folder }, (_, stdout) => {
        resolve(stdout.replaceAll(tableName, 'locks').trimEnd().split('\n'));
      });
    });
}

/** An instant that is the same in every run. */
const OF_SCENE = /^2026-11-(1[5-9]|20)T\d\d:00:00/;

/** The page without what differs from run to run: other instants, spans, tokens, widths. */
function masked(page: string): string {
  return page
    .replace(/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, (at) => (OF_SCENE.test(at) ? at : 'T'))
    .replace(/\b\d{13,16}\b|process \d+/g, 'N')
    .replace(/\b(?:\d+(?:\.\d+)?(?:ms|d|h|m|s))+\b/g, 'D')
    .replace(/ {2,}/g, '  ');
}
