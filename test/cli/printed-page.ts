import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { ClientRequest } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, vi } from 'vitest';
import { innerCli } from '../support/inner-cli.js';
import { type CliStage, clockAt } from './stage.js';

/*
 * Pages of the docs that show what commands print. Each `console` block of a page is run, in the page's order, against
 * a real table. The clocks of the commands and of the server are turned to the date of the page.
 * `CLI_PAGE=write npx vitest run test/cli/page.test.ts` writes what the commands print into the page.
 */

const BLOCK = /^```console\n(.*?)^```$/gms;

/**
 * Runs the commands of a page, and compares what the page shows with what the commands print.
 *
 * @param path the page's path from the root of the repository
 * @param startMs when the first command is given; the other commands follow at intervals of 20 s
 */
export async function checkPage(path: string, stage: CliStage, startMs: number): Promise<void> {
  const { admin } = stage.on('dynamodb');
  // Delete a lock that the start of the stores has left.
  await admin.delete('first', { fencingToken: (await admin.get('first'))?.fencingToken ?? 0 });
  const file = new URL(`../../${path}`, import.meta.url);
  const page = await readFile(file, 'utf8');
  const shell = await shellOf(stage, startMs);
  let printed = page;
  for (const [block, text = ''] of page.matchAll(BLOCK)) {
    const commands = text.split('\n').filter((line) => line.startsWith('$ '));
    const lines: string[] = [];
    for (const command of commands) lines.push(command, ...(await shell(command.slice(2))));
    printed = printed.replace(block, () => ['```console', ...lines, '```'].join('\n'));
  }
  if (process.env['CLI_PAGE'] === 'write') await writeFile(file, printed);
  else expect(masked(page)).toEqual(masked(printed));
}

/** A shell in which `single-execution` is the tool. The returned function runs a command, and resolves to its lines. */
async function shellOf({ cli, on }: CliStage, startMs: number): Promise<(command: string) => Promise<string[]>> {
  const { args } = on('dynamodb');
  const bin = join(cli.folder, 'bin');
  await mkdir(bin);
  await chmod(cli.path, 0o755);
  await symlink(cli.path, join(bin, 'single-execution'));
  const turned = join(bin, 'turned-clock.mjs');
  await writeFile(turned, TURNED_CLOCK);
  let nowMs = startMs - GAP_MS;
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
    NODE_OPTIONS: `--import ${turned}`,
  };
  vi.stubEnv('AWS_REGION', 'local');
  vi.stubEnv('AWS_ENDPOINT_URL', endpoint);
  onTestFinished(() => void vi.unstubAllEnvs());
  turnServerClock(() => nowMs);
  return async (command) => {
    nowMs += GAP_MS;
    const [, verb = '', ...words] = (command.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));
    const printed = NEED_A_PROCESS.includes(verb)
      ? await promisify(execFile)('sh', ['-c', `${command} 2>&1; true`], {
          env: { ...env, SCENE_NOW_MS: String(nowMs) },
          cwd: cli.folder,
        })
      : await innerCli([verb, ...words], { LOCK_TABLE: tableName }, { cwd: cli.folder, clock: clockAt(nowMs) });
    return `${printed.stdout}${printed.stderr}`.replaceAll(tableName, 'locks').trimEnd().split('\n');
  };
}

/** Commands that run as a process: `run` because of its command's output, `doctor` because of the server's clock. */
const NEED_A_PROCESS = ['run', 'doctor'];

const GAP_MS = 20_000;

/** Turns the `Date` header of the responses that this process gets, until the end of the test. */
function turnServerClock(now: () => number): void {
  const { emit } = ClientRequest.prototype;
  const turned = vi.spyOn(ClientRequest.prototype, 'emit').mockImplementation(function (this: ClientRequest, ...args) {
    const [type, response] = args;
    if (type === 'response') response.headers.date = new Date(now()).toUTCString();
    return emit.apply(this, args);
  });
  onTestFinished(() => turned.mockRestore());
}

/** Turns the wall clock of a Node process to `SCENE_NOW_MS`, and the `Date` header of the responses that it gets. */
const TURNED_CLOCK = `
import { ClientRequest } from 'node:http';

const byMs = Number(process.env.SCENE_NOW_MS) - Date.now();
const RealDate = Date;
const now = () => RealDate.now() + byMs;
globalThis.Date = class extends RealDate {
  static now = now;
  constructor(...args) {
    super(...(args.length === 0 ? [now()] : args));
  }
};
const { emit } = ClientRequest.prototype;
ClientRequest.prototype.emit = function (type, response, ...rest) {
  if (type === 'response') response.headers.date = new Date().toUTCString();
  return emit.call(this, type, response, ...rest);
};
`;

/** An instant that is the same in every run. */
const OF_SCENE = /^2026-11-(1[4-9]|20)T\d\d:00:0/;

/** The page without what differs from run to run: instants outside the scene, durations, tokens, widths. */
function masked(page: string): string {
  return page
    .replace(/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, (at) => (OF_SCENE.test(at) ? at : 'T'))
    .replace(/\b\d{13,16}\b|process \d+/g, 'N')
    .replace(/\b(?:\d+(?:\.\d+)?(?:ms|d|h|m|s))+\b/g, 'D')
    .replace(/ {2,}/g, '  ');
}
