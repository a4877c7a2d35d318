import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { inThisRun } from '../../support/in-this-run.js';
import { listening } from '../../support/loopback.js';
import { nodeBinary } from '../../support/node-binary.js';
import { oneModuleAsset, oneModuleLambda, returnedBy } from './one-module-lambda.js';

const FETCH_MS = 300_000;

describe.each(inThisRun<22 | 24>([24], [22]))('on Node %i', (major) => {
  beforeAll(() => nodeBinary(major).then(() => undefined), FETCH_MS);

  test('kills a run whose time is up, and runs the next in a new process', async () => {
    const host = await oneModuleLambda(
      major,
      `export const handler = async ({ hangs }) => {
        console.log(process.pid);
        while (hangs);
        return process.pid;
      };`,
    );

    const timedOut = await host.invoke({ hangs: true }, { requestId: 'r-1', timeoutMs: 2_000 });
    expect(timedOut).toEqual({ requestId: 'r-1', status: 'timed-out' });
    const killed = Number(host.output().stdout[0]);
    expect(isAlive(killed)).toBe(false);
    expect(returnedBy(await host.invoke({}))).not.toBe(killed);
  });

  test('serves runs one after the other in one process, and runs side by side in two', async () => {
    const host = await oneModuleLambda(
      major,
      `let runs = 0;
      export const handler = async () => ({ pid: process.pid, runs: ++runs });`,
    );

    const { pid } = returnedBy(await host.invoke({})) as { pid: number };
    expect(returnedBy(await host.invoke({}))).toEqual({ pid, runs: 2 });

    const [warm, cold] = (await Promise.all([host.invoke({}), host.invoke({})])).map(returnedBy);
    expect(warm).toEqual({ pid, runs: 3 });
    expect(cold).toMatchObject({ runs: 1 });
    expect(cold).not.toMatchObject({ pid });
  });

  test('freezes the process between runs', async () => {
    const host = await oneModuleLambda(
      major,
      `setInterval(() => console.log('tick'), 5);
      export const handler = async () => new Promise((resolve) => setTimeout(resolve, 50));`,
    );
    await host.invoke({});

    const { stdout } = host.output();
    expect(stdout).toContain('tick');
    await sleep(100);
    expect(host.output().stdout).toEqual(stdout);

    await host.invoke({});
    expect(host.output().stdout.length).toBeGreaterThan(stdout.length);
  });

  test('kills a paused run when its time is up', async () => {
    const host = await oneModuleLambda(
      major,
      `export const handler = async () => {
        console.log('runs');
        await new Promise((resolve) => setTimeout(resolve, 500));
      };`,
    );
    const paused = host.start({}, { timeoutMs: 1_000 });
    await vi.waitFor(() => expect(host.output().stdout).toEqual(['runs']), { interval: 5, timeout: 60_000 });
    paused.pause();

    expect(await paused.done).toEqual({ requestId: paused.requestId, status: 'timed-out' });
    expect(() => paused.pause()).toThrow(`run ${paused.requestId} is over`);
  });

  test('leaves no process behind when the host stops, and keeps what was printed', async () => {
    const host = await oneModuleLambda(
      major,
      `export const handler = async ({ hangs }) => {
        console.log(process.pid);
        if (hangs) await new Promise((resolve) => setTimeout(resolve, 60_000));
      };`,
    );
    const [, ...running] = [host.start({}), host.start({ hangs: true }), host.start({ hangs: true })];
    await vi.waitFor(() => expect(host.output().stdout).toHaveLength(3), { timeout: 60_000 });
    running[0]?.pause();

    await host.stop();

    for (const { done } of running) expect(await done).toMatchObject({ status: 'crashed', signal: 'SIGKILL' });
    const pids = host.output().stdout.map(Number);
    expect(pids).toHaveLength(3);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(() => host.start({})).toThrow('The Lambda host is stopped');
  });
});

test('leaves no process behind when the process of the host is killed', async () => {
  const server = createServer();
  const port = await listening(server);
  onTestFinished(() => void server.close());
  const taskRoot = await oneModuleAsset(`import { connect } from 'node:net';
    connect(${port}, '127.0.0.1');
    export const handler = async () => {};`);
  const script = `import { startLambda } from ${JSON.stringify(new URL('./lambda-host.ts', import.meta.url))};
    const [node, taskRoot] = process.argv.slice(1);
    const host = await startLambda({ node, taskRoot, functionName: 'nightly', region: 'local', timeoutMs: 10_000 });
    console.log(await host.invoke({}));`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', script, process.execPath, taskRoot];
  const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  expect(String(line)).toContain('succeeded');
  const [socket] = await connected;

  parent.kill('SIGKILL');

  // The connection of a frozen process ends only when the process dies.
  await once(socket.on('error', () => {}).resume(), 'close');
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
