import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { judgedJob } from '../../operate/judged-job.js';
import type { Job } from '../../operate/troubles.js';
import type { Command } from '../command.js';
import { startConsole } from '../console/console-server.js';
import { pacedAdmin } from '../console/paced-admin.js';
import { EXIT, failed, wrongUse } from '../exit-code.js';
import { wholeOf } from '../read-value.js';
import type { Session } from '../session.js';

export const consoleCommand: Command = {
  name: 'console',
  summary: 'look at all jobs in a browser, and steer them',
  usage: '[--port P] [--read-only] [--export FILE [--force]]',
  operands: [0, 0],
  options: {
    port: { value: 'P', help: 'to listen on; by default any free one' },
    'read-only': { help: 'let the page change nothing' },
    export: { value: 'FILE', help: 'write one page with the current state, and end' },
    force: { help: 'let --export overwrite a file' },
  },
  shared: { json: false },
  about: [
    'Prints an address of this machine, with a token in it. Only a person with that address can see or change anything, and only from this machine. Ctrl-C ends it.',
    '--export writes a page that needs no console and no internet: for a wiki or a ticket. It contains names, holders and times of all locks. Overwrites an existing file only with --force.',
  ],
  examples: ['single-execution console --table locks', 'single-execution console --export report.html --table locks'],
  async run(session) {
    const port = session.text('port');
    const file = session.text('export');
    const stray = ['port', 'read-only'].find((option) => session.has(option));
    if (file !== undefined && stray) throw wrongUse(`--${stray} has no effect with --export: leave it out`);
    if (file === undefined && session.has('force')) throw wrongUse('--force is for --export: pass --export FILE too');
    const portNumber = port === undefined ? undefined : wholeOf('--port', port, 0, 65_535);
    const page = await readPage();
    return file === undefined ? serve(session, page, portNumber) : exportTo(session, page, file);
  },
};

async function exportTo(session: Session, page: string, file: string): Promise<number> {
  const locks = (await session.admin.list()).map(judgedJob);
  const report = { at: new Date(session.clock.now()), store: (await session.open()).words, locks };
  try {
    await writeFile(file, reportPage(page, report), { flag: session.has('force') ? 'w' : 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it is there already; pass --force to overwrite it' : code;
    throw failed(`the report cannot be written to ${file}: ${why}`);
  }
  session.terminal.line(`wrote ${locks.length} ${locks.length === 1 ? 'lock' : 'locks'} to ${file}`);
  return EXIT.done;
}

/** Serves the console until SIGINT or SIGTERM. */
async function serve(session: Session, page: string, port: number | undefined): Promise<number> {
  const admin = pacedAdmin(session.admin, session.clock);
  // If the store cannot be reached, fail here and not in the page.
  await admin.list();
  const running = await startConsole({
    admin,
    clock: session.clock,
    page,
    readOnly: session.has('read-only'),
    store: (await session.open()).words,
    ...(port !== undefined && { port }),
  }).catch((error: NodeJS.ErrnoException) => {
    throw failed(`the console cannot listen on port ${port}: ${error.code}; pass another --port`);
  });
  const ended = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  session.terminal.line(running.url);
  session.terminal.note('open this address in a browser of this machine; Ctrl-C ends the console');
  await ended;
  // Do not wait for browsers: whoever asks the console to end does not either.
  void running.close();
  return EXIT.done;
}

/** The element of the page that holds the data of a report. In the page of a running console it holds `null`. */
const NO_DATA = '<script type="application/json" id="report">null</script>';

/** The data of a report. */
interface Report {
  readonly at: Date;
  readonly store: string;
  readonly locks: readonly Job[];
}

/** The console's page, a file that needs no other file. @throws CliError if it was not built */
async function readPage(): Promise<string> {
  const root = dirname(createRequire(import.meta.url).resolve('single-execution/package.json'));
  try {
    return await readFile(join(root, 'dist/console.html'), 'utf8');
  } catch {
    throw failed(
      'the page of the console is missing from the package: install it again, or build it with npm run build',
    );
  }
}

/** The console's page with the data of a report. It works without a running console. */
function reportPage(page: string, report: Report): string {
  // Escape `<`: otherwise a text in the data could end the script element.
  const data = JSON.stringify(report).replaceAll('<', '\\u003c');
  return page.replace(NO_DATA, () => NO_DATA.replace('null', () => data));
}
