import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { inThisRun } from '../../support/in-this-run.js';
import { listening } from '../../support/loopback.js';
import { nodeBinary } from '../../support/node-binary.js';
import { oneModuleAsset, oneModuleLambda } from './one-module-lambda.js';

// deployed-handlers.test.ts shows runs one after the other, side by side, paused and killed at their timeout.
const FETCH_MS = 300_000;

describe.each(inThisRun<22 | 24>([24], [22]))('on Node %i', (major) => {
  beforeAll(() => nodeBinary(major).then(() => undefined), FETCH_MS);

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
