import { EventEmitter } from 'node:events';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { gate } from '../support/gate.js';
import { startRedisServer } from '../support/redis-server.js';
import { preparePrograms } from './program.js';

const server = await startRedisServer();
const programs = await preparePrograms(server.url);
afterAll(() => Promise.all([server.stop(), programs.remove()]));
afterEach(() => programs.end());

const start = (program: string) => programs.start(program);

test.each([
  ['first', 'second'],
  ['second', 'first'],
])(
  'row 31: two copies of this module end the process together when the runs of both have settled: the %s, then the %s',
  async (early, late) => {
    const program = start(`
    const first = untilShutdown;
    const { untilShutdown: second } = await import(library + '?copy');
    if (first === second) throw new Error('one copy');
    for (const [name, run] of Object.entries({ first, second })) {
      run(async (signal) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        say(name, 'aborted');
        await told(name);
      }).then(() => say(name, 'settled'));
    }
    say('started');`);
    await program.until('started');
    program.sigterm();
    await Promise.all([program.until('first aborted'), program.until('second aborted')]);
    await program.tell(early);
    await program.until(`${early} settled`);
    await program.turn();
    await program.tell(late);

    expect(await program.ended).toBe('SIGTERM');
    expect(program.lines.slice(-2)).toEqual([`${early} settled`, `${late} settled`]);
  },
);

test('row 31: row 70: a thousand runs at once have one listener, and Node has nothing to warn of', async () => {
  const program = start(`
    const many = { ...options, store: memoryStore(), name: (number) => 'of ' + number };
    let running = 0;
    const job = withSingleExecution(async (_number, execution) => {
      execution.signal.addEventListener('abort', () => {});
      if (++running === 1_000) say('all run', process.listenerCount('SIGTERM'));
      await told('settle');
    }, many);
    await Promise.all(Array.from({ length: 1_000 }, (_, number) => job(number)));
    say('settled');`);
  expect(await program.said('all run')).toBe('1');
  await program.tell('settle');
  await program.until('settled');
  program.sigterm();

  expect(await program.ended).toBe('SIGTERM');
  expect(program.errors()).toBe('');
});

/** A copy of the module with a stub in place of `process`: tests emit its signals, and `kill` ends nothing. */
async function copyIn(stub: unknown) {
  vi.resetModules();
  vi.stubGlobal('process', stub);
  return await import('../../src/adapters/process-shutdown.js').finally(vi.unstubAllGlobals);
}

const stubbed = (pid: number) => Object.assign(new EventEmitter(), { pid, kill: vi.fn(), exit: vi.fn() });

describe('row 31: the first process of a container, which no signal of its own ends', () => {
  test('row 31: exits with 143 once the last run has settled', async () => {
    const first = stubbed(1);
    const { untilShutdown } = await copyIn(first);
    const finish = gate();
    const running = untilShutdown(() => finish.opened);
    first.emit('SIGTERM');
    expect([first.kill.mock.calls, first.exit.mock.calls]).toEqual([[], []]);
    finish.open();
    await running;

    await vi.waitFor(() => expect(first.exit).toHaveBeenCalledExactlyOnceWith(143));
    expect(first.kill).toHaveBeenCalledExactlyOnceWith(1, 'SIGTERM');
    expect(first.kill).toHaveBeenCalledBefore(first.exit);
  });

  test('row 31: beside a listener that leaves when it is called, as that of signal-exit does, exits with 143', async () => {
    const first = stubbed(1);
    const beside = () => void (first.listenerCount('SIGTERM') === 1 && first.off('SIGTERM', beside));
    first.on('SIGTERM', beside);
    first.kill.mockImplementation(() => void setImmediate(() => first.emit('SIGTERM')));
    const { untilShutdown } = await copyIn(first);
    const emitter = standInEmitter();
    await untilShutdown(async () => first.emit('SIGTERM'));

    await vi.waitFor(() => expect(first.exit).toHaveBeenCalledExactlyOnceWith(143));
    emitter.remove();
  });

  test('row 31: exits with 143 while nothing runs', async () => {
    const first = stubbed(1);
    await (await copyIn(first)).untilShutdown(async () => {});
    first.emit('SIGTERM');

    await vi.waitFor(() => expect(first.exit).toHaveBeenCalledExactlyOnceWith(143));
  });
});

describe('row 148: a second signal', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A run in a process that has got a first signal. */
  async function interrupted() {
    const stub = stubbed(42);
    const { untilShutdown } = await copyIn(stub);
    const finish = gate<string>();
    const running = untilShutdown(() => finish.opened);
    stub.emit('SIGINT');
    return { stub, finish, running };
  }

  test('row 148: ends the process half a second after the first at the earliest: nodemon passes on a Ctrl-C that came already', async () => {
    const { stub } = await interrupted();
    stub.emit('SIGINT');
    await vi.advanceTimersByTimeAsync(499);
    expect(stub.kill).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);

    expect(stub.kill).toHaveBeenCalledExactlyOnceWith(42, 'SIGINT');
  });

  test('row 148: that comes within it leaves a run the time to release', async () => {
    const { stub, finish, running } = await interrupted();
    stub.emit('SIGINT');
    await vi.advanceTimersByTimeAsync(100);
    finish.open('released');

    expect(await running).toBe('released');
    expect(stub.kill).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(0);
    expect(stub.kill).toHaveBeenCalledExactlyOnceWith(42, 'SIGINT');
  });

  test('row 148: ends the process also if somebody listens for it by now', async () => {
    const { stub, finish, running } = await interrupted();
    stub.on('SIGTERM', () => {});
    stub.emit('SIGTERM');
    finish.open('released');
    await running;
    await vi.advanceTimersByTimeAsync(0);

    expect(stub.kill).toHaveBeenCalledExactlyOnceWith(42, 'SIGINT');
  });
});

test.each([
  ['SIGHUP', 129],
  ['SIGBREAK', 149],
] as const)('row 148: on Windows, which sends no %s, the process exits with the code for it', async (signal, code) => {
  const windows = stubbed(42);
  windows.kill.mockImplementation(() => {
    throw Object.assign(new Error('kill ENOSYS'), { code: 'ENOSYS' });
  });
  await (await copyIn(windows)).untilShutdown(async () => {});
  windows.emit(signal);

  await vi.waitFor(() => expect(windows.exit).toHaveBeenCalledExactlyOnceWith(code));
});

test('row 148: a platform that does not know a signal goes on with the others', async () => {
  const stub = stubbed(42);
  const add = stub.prependListener.bind(stub);
  stub.prependListener = (signal, listener) => {
    if (signal === 'SIGUSR2') throw new TypeError('no such signal');
    return add(signal, listener);
  };
  const { untilShutdown } = await copyIn(stub);

  expect(await untilShutdown(async ({ aborted }) => aborted)).toBe(false);
  expect([stub.listenerCount('SIGTERM'), stub.listenerCount('SIGUSR2')]).toEqual([1, 0]);
});

/** The global that signal-exit sets while one copy of it listens. Another test file may have set it in this worker. */
function standInEmitter(): { remove(): void } {
  const key = Symbol.for('signal-exit emitter');
  const real = (globalThis as Record<symbol, unknown>)[key] as { count: number } | undefined;
  if (real) {
    const { count } = real;
    real.count = 1;
    return { remove: () => void Object.assign(real, { count }) };
  }
  Object.defineProperty(globalThis, key, { value: { count: 1 }, configurable: true });
  return { remove: () => void Reflect.deleteProperty(globalThis, key) };
}

test.each<[string, unknown]>([
  ['no process', undefined],
  ['one without signals, as on an edge runtime', { env: {} }],
])('row 65: where there is %s, runs go on without', async (_, stub) => {
  const { untilShutdown } = await copyIn(stub);

  expect(await untilShutdown(async ({ aborted }) => aborted)).toBe(false);
});
