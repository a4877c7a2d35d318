import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { access, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { heard } from '../support/last-words.js';
import { cliStage, freshName } from './stage.js';
import { shellFor } from './watchdog-shell.js';

// Run three tests at a time, because some only wait. If more processes started at once, calls to stores would time out.
vi.setConfig({ maxConcurrency: 3 });

const stage = cliStage();
/** Tests that change the user or the process namespace need root. CI runs as root. */
const asRoot = test.runIf(process.getuid?.() === 0);
/** Only Linux shows the environment of a process. */
const onLinux = test.runIf(process.platform === 'linux');
const NOBODY = ['setpriv', '--reuid=65534', '--clear-groups'];
const WITHOUT_KILL = ['setpriv', '--bounding-set=-kill', '--inh-caps=-kill'];
const NEW_PIDS = ['unshare', '--pid', '--fork', '--mount-proc'];
/** Starts the command line in its arguments and ends with its exit code. As PID 1 it does not collect orphans. */
const STARTS = `const [file, ...args] = process.argv.slice(1);
  require('node:child_process').spawn(file, args, { stdio: 'inherit' }).on('exit', (code) => process.exit(code));`;
/** Prints each SIGINT, and ends half a second after the file in its arguments exists. */
const COUNTS = `process.stdin.resume(); process.on('SIGINT', () => console.log('INT'));
  process.on('SIGHUP', () => process.exit(6)); console.log('on');
  setInterval(() => require('node:fs').existsSync(process.argv[1]) && setTimeout(process.exit, 500, 5), 50);`;
/** Gives the shell of the watchdog as long as it takes to report a signal, and prints when it has. */
const PATIENT = `const { clearTimeout, setTimeout } = globalThis;
  let waits;
  globalThis.setTimeout = (act, ms, ...rest) =>
    ms === 300 ? (waits = setTimeout(act, 60_000)) : setTimeout(act, ms, ...rest);
  globalThis.clearTimeout = (timer) => {
    if (timer && timer === waits) process.stderr.write('reported\\n');
    clearTimeout(timer);
  };`;
/** Freezes `run` at the start of its command, before it can send the command's process id to the watchdog. */
const STANDS_STILL = `const childProcess = require('node:child_process');
  const { spawn } = childProcess;
  childProcess.spawn = (file, ...rest) => {
    const child = spawn(file, ...rest);
    if (file === '/bin/sh') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    return child;
  };
  require('node:module').syncBuiltinESMExports();`;

let folder: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-processes-'));
  // Tests that run as another user read this folder.
  await chmod(folder, 0o755);
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

/** The path of a file that does not exist yet, and the shell command that waits for it. */
function signalFile(): { readonly file: string; readonly wait: string } {
  const file = join(folder, randomUUID());
  return { file, wait: `until [ -e ${file} ]; do sleep 0.1; done` };
}

/** The words of a command line that runs `command` under a lock on Redis. */
function runLine(name: string, ...command: string[]): string[] {
  const { cli, on } = stage();
  const line = ['run', '--name', name, '--at-most', '1m', '--keep-alive', ...on('redis').args];
  return [process.execPath, cli.path, ...line, '--', ...command];
}

interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Resolves when the process has printed these words. */
  said(words: string): Promise<void>;
  output(): string;
  /** The exit code of the process, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

function started([file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
  const child = heard(spawn(file, args, { stdio: 'pipe', env: { ...process.env, SHELL: '/bin/sh', ...env } }));
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  return {
    child,
    pid: child.pid as number,
    output: () => output,
    async said(words) {
      while (!output.includes(words)) {
        const end = child.exitCode ?? child.signalCode;
        if (end !== null) throw new Error(`it ended with ${end}, and never said ${words}: ${output}`);
        await sleep(20);
      }
    },
    ended: once(child, 'close').then(([code, signal]) => signal ?? code),
  };
}

/** Starts a command line on its own terminal. The stdin of the child is the terminal's keyboard. */
const onTerminal = (line: readonly string[], before = '', env: NodeJS.ProcessEnv = {}) => {
  const words = line.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return started(['script', '-qec', `${before}${words}`, '/dev/null'], env);
};

const numberAfter = (output: string, word: string) => Number(new RegExp(`${word} (\\d+)`).exec(output)?.[1]);
/** Whether a process is running. One that has ended stays in the process table until its parent collects it. */
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(20);
}
const stateOf = async (name: string) => (await stage().on('redis').admin.get(name))?.state;

/** Ways in which a command starts its work, which is the file `$0`. All but the first leave the group of its shell. */
const STARTED = [
  ['a shell', 'sh "$0"'],
  ['GNU timeout', 'timeout 100 sh "$0"'],
  ['a shell with job control', `bash -c 'set -m; sh "$0" & wait' "$0"`],
  ['setpgrp', 'perl -e \'setpgrp; exec @ARGV\' sh "$0"'],
] as const;
const BOTH = STARTED.slice(0, 2);

describe.concurrent('rows 123, 156: run follows what its command has started', () => {
  onLinux.each(BOTH)('by %s to its end, and holds the lock until then', async (_, starts) => {
    const { file, wait } = signalFile();
    const name = freshName();
    const run = started(runLine(name, 'sh', '-c', `${starts} & exit 0`, await workFile(`echo other $$; ${wait}`)));
    await run.said('other');
    await sleep(500);
    expect(await stateOf(name)).toBe('held');
    await writeFile(file, '');

    expect(await run.ended).toBe(0);
    expect(isAlive(numberAfter(run.output(), 'other'))).toBe(false);
    expect(await stateOf(name)).toBe('free');
  });

  onLinux.each(BOTH)('by %s when SIGKILL ends run', async (_, starts) => {
    const work = await workFile("trap '' TERM; echo other $$; while :; do sleep 1; done");
    const run = started(runLine(freshName(), 'sh', '-c', `echo command $$; ${starts} & wait`, work));
    await run.said('other');
    run.child.kill('SIGKILL');

    await Promise.all(['command', 'other'].map((word) => gone(numberAfter(run.output(), word))));
  });

  onLinux.each(STARTED)('by %s with its signal, and the lock is free after all of it', async (_, starts) => {
    const name = freshName();
    const work = await workFile('echo other $$; exec sleep 100');
    const run = started(runLine(name, 'sh', '-c', `${starts} & wait; echo never`, work));
    await run.said('other');
    run.child.kill('SIGTERM');

    expect(await run.ended).toBe(143);
    expect(isAlive(numberAfter(run.output(), 'other'))).toBe(false);
    expect(run.output()).not.toContain('never');
    expect(await stateOf(name)).toBe('free');
  });
});

describe.concurrent('row 123: what run does with the processes of its command', () => {
  onLinux('SIGKILL of run ends the command also when run could not do anything after it had started it', async () => {
    const preload = join(folder, 'stands-still.cjs');
    await writeFile(preload, STANDS_STILL);
    const name = freshName();
    const command = ['/bin/sh', '-c', 'echo command $$; exec sleep 100'];
    const other = started(runLine(`${name}-other`, ...command));
    await other.said('command');
    const run = started(runLine(name, ...command), { NODE_OPTIONS: `--require=${preload}` });
    await run.said('command');
    run.child.kill('SIGKILL');

    expect(await run.ended).toBe('SIGKILL');
    await gone(numberAfter(run.output(), 'command'));
    expect(isAlive(numberAfter(other.output(), 'command'))).toBe(true);
    other.child.kill('SIGTERM');
    expect(await other.ended).toBe(143);
  });

  test('what outlives a command that was told to end is killed 10 s later, and the lock held until then', async () => {
    const name = freshName();
    const work = await workFile("trap '' TERM; echo other $$; exec sleep 100");
    const run = started(runLine(name, 'sh', '-c', 'sh "$0" & wait', work));
    await run.said('other');
    const other = numberAfter(run.output(), 'other');
    const toldMs = performance.now();
    run.child.kill('SIGTERM');
    for (;;) {
      const state = await stateOf(name);
      // It was alive when the state was read.
      if (!isAlive(other)) break;
      expect(state).toBe('held');
      await sleep(500);
    }

    expect(performance.now() - toldMs).toBeGreaterThan(9_900);
    expect(await run.ended).toBe(143);
    expect(await stateOf(name)).toBe('free');
  });

  asRoot('a signal that cannot be delivered is one line, and the command goes on with its lock', async () => {
    const name = freshName();
    const { file, wait } = signalFile();
    const command = runLine(name, ...NOBODY, 'sh', '-c', `echo on; ${wait}; echo done`);
    const run = started([...WITHOUT_KILL, ...command]);
    await run.said('on');
    await sleep(200);
    run.child.kill('SIGTERM');
    await run.said('SIGTERM could not be delivered to the command (EPERM): it goes on, with its lock\n');
    expect(await stateOf(name)).toBe('held');
    await writeFile(file, '');

    expect(await run.ended).toBe(0);
    expect(run.output()).toContain('done');
    expect(await stateOf(name)).toBe('free');
  });

  asRoot.each([
    ['as PID 1 of a container', []],
    ['beside a PID 1 that takes away nothing that has ended', [process.execPath, '-e', STARTS]],
  ])('%s run ends although nobody takes away what has ended', async (_, before) => {
    const name = freshName();
    const run = runLine(name, 'sh', '-c', 'sleep 0.3 & echo on; exit 3');

    expect(await started([...NEW_PIDS, ...before, ...run]).ended).toBe(3);
    expect(await stateOf(name)).toBe('free');
  });
});

/** A file with a script for `sh`. */
async function workFile(script: string): Promise<string> {
  const { file } = signalFile();
  await writeFile(file, script);
  return file;
}

describe('row 123: on a terminal run behaves as its command does', () => {
  onLinux.each([
    ['where stdin is the terminal', ''],
    ['where stdin is a pipe', 'sleep 3 | '],
  ])('Ctrl-C reaches the command once, %s', async (_, before) => {
    const [name, { file }, preload] = [freshName(), signalFile(), join(folder, 'patient.cjs')];
    await writeFile(preload, PATIENT);
    const env = { NODE_OPTIONS: `--require=${preload}` };
    const run = onTerminal(runLine(name, process.execPath, '-e', COUNTS, file), before, env);
    const [shell] = await Promise.all([shellFor(name), run.said('on')]);
    // The shell reports the signal when the command has handled it, so that a second one would be handled too.
    process.kill(shell, 'SIGSTOP');
    run.child.stdin?.write('\x03');
    await run.said('INT');
    process.kill(shell, 'SIGCONT');
    await run.said('reported');
    await writeFile(file, '');
    await run.ended;

    expect(run.output().match(/INT/g)).toHaveLength(1);
  });

  onLinux('an interrupt of run alone is forwarded, once', async () => {
    const { file } = signalFile();
    const run = onTerminal(runLine(freshName(), process.execPath, '-e', COUNTS, file), 'echo shell $$; exec ');
    await run.said('on');
    process.kill(numberAfter(run.output(), 'shell'), 'SIGINT');
    await run.said('INT');
    await writeFile(file, '');

    expect(await run.ended).toBe(5);
    expect(run.output().match(/INT/g)).toHaveLength(1);
  });

  test('SIGKILL of run ends its command', async () => {
    const command = ['sh', '-c', 'echo command $$; exec sleep 100'];
    const run = onTerminal(runLine(freshName(), ...command), 'echo shell $$; exec ');
    await run.said('command');
    await sleep(500);
    process.kill(numberAfter(run.output(), 'shell'), 'SIGKILL');

    await gone(numberAfter(run.output(), 'command'));
  });

  test('nohup keeps it from the end of its terminal', async () => {
    const [begun, hungUp, ended] = [signalFile(), signalFile(), signalFile()];
    const command = `touch ${begun.file}; ${hungUp.wait}; touch ${ended.file}`;
    const line = runLine(freshName(), 'sh', '-c', command);
    const quoted = line.map((word) => `'${word}'`).join(' ');
    // nohup redirects the streams: without it they would be the terminal.
    const shell = `cd ${folder}; nohup ${quoted} & ${begun.wait}; kill -HUP $!; sleep 0.5; touch ${hungUp.file}; wait $!; echo code $?`;
    const run = started(['script', '-qec', shell, '/dev/null']);
    await run.ended;

    expect(run.output()).toContain('code 0');
    await expect(access(ended.file)).resolves.toBeUndefined();
  });
});
