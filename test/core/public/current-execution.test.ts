import { assertLocked, currentExecution, executeWithLock } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { findFrame } from '../../../src/core/public/execution.js';
import { gate } from '../../support/gate.js';

const options = () => ({ name: 'digest', store: memoryStore(), lockAtMostFor: '1m', observers: [] });

/** A function as users have them: it must never run bare. */
async function chargeCustomers(): Promise<number | undefined> {
  await Promise.resolve();
  assertLocked('digest');
  return currentExecution()?.fencingToken;
}

describe('row 59: assertLocked', () => {
  test('row 59: throws outside a wrapped function, saying what to do', () => {
    expect(() => assertLocked()).toThrow(
      new Error(
        'assertLocked: called outside a run under any lock; wrap the caller with withSingleExecution or executeWithLock',
      ),
    );
    expect(() => assertLocked('digest')).toThrow(
      new Error(
        'assertLocked: called outside a run under lock "digest"; wrap the caller with withSingleExecution or executeWithLock',
      ),
    );
  });

  test('row 59: a test gives one call of the function a lock of its own, and leaks it to nothing else', async () => {
    const outcome = await executeWithLock(chargeCustomers, options());

    expect(outcome).toMatchObject({ value: expect.any(Number), release: 'released' });
    await expect(chargeCustomers()).rejects.toThrow('assertLocked: called outside a run');
    expect(currentExecution()).toBeUndefined();
  });

  test('row 59: throws under another lock than the one named', async () => {
    const { value } = await onlyExecuted(() => {
      expect(() => assertLocked()).not.toThrow();
      expect(() => assertLocked('digest')).not.toThrow();
      expect(() => assertLocked('report')).toThrow('outside a run under lock "report"');
      return 'checked';
    });

    expect(value).toBe('checked');
  });

  test('row 59: finds an outer lock by its name', async () => {
    const outer = options();
    const outcome = await executeWithLock(
      () =>
        executeWithLock(
          () => {
            assertLocked('digest');
            assertLocked('report');
            return currentExecution()?.name;
          },
          { ...outer, name: 'report' },
        ),
      outer,
    );

    expect(outcome).toMatchObject({ value: { value: 'report' } });
  });

  test('row 59: throws in code that outlives its run, also while another run lasts', async () => {
    const ended = gate();
    let leftover: Promise<unknown> = Promise.resolve();
    await executeWithLock(() => {
      leftover = ended.opened.then(chargeCustomers);
    }, options());
    const lost = expect(leftover).rejects.toThrow(/the run has ended|called outside a run/);
    await executeWithLock(async () => {
      ended.open();
      await lost;
    }, options());
  });

  async function onlyExecuted<T>(task: () => T) {
    const outcome = await executeWithLock(task, options());
    if (outcome.status !== 'executed') throw new Error(`skipped: ${outcome.reason}`);
    return outcome;
  }
});

describe('currentExecution', () => {
  test('is the very execution that the task was given, however deep', async () => {
    const outcome = await executeWithLock(async (execution) => {
      await Promise.resolve();
      return [1].map(() => currentExecution())[0] === execution;
    }, options());

    expect(outcome).toMatchObject({ value: true });
  });

  /** Up to Node 22 hooks that stay on slow every promise of the process. */
  test('leaves no async hooks on once no run is under way', async () => {
    const { AsyncLocalStorage } = process.getBuiltinModule('node:async_hooks');
    const enable = vi.spyOn(AsyncLocalStorage.prototype, 'run');
    const disable = vi.spyOn(AsyncLocalStorage.prototype, 'disable');
    const isCostly = '_enable' in AsyncLocalStorage.prototype;
    const [inner, outer] = [options(), options()];
    const finish = gate();

    const first = executeWithLock(() => executeWithLock(() => 'nested', inner), inner);
    const second = executeWithLock(() => finish.opened, { ...outer, name: 'another' });
    await first;
    expect(disable).not.toHaveBeenCalled();
    finish.open();
    await second;
    expect(disable).toHaveBeenCalledTimes(isCostly ? 1 : 0);

    enable.mockClear();
    const tick = Date.UTC(2026, 0, 1);
    await executeWithLock(() => currentExecution(), { ...outer, tick });
    expect(enable).toHaveBeenCalledTimes(1);
    await executeWithLock(() => 'skipped', { ...outer, tick });
    expect(enable).toHaveBeenCalledTimes(1);
    vi.restoreAllMocks();
  });
});

describe('row 95: if a process has loaded the library twice', () => {
  let other: typeof import('single-execution');
  beforeEach(async () => {
    vi.resetModules();
    other = await import('single-execution');
  });

  test('each copy finds the execution that the other one has started', async () => {
    expect(other.currentExecution).not.toBe(currentExecution);

    const found = await executeWithLock((execution) => other.currentExecution() === execution, options());
    expect(found).toMatchObject({ value: true });
    expect(await other.executeWithLock(chargeCustomers, options())).toMatchObject({ value: expect.any(Number) });
  });

  test('a run nests in one of the other copy', async () => {
    const both = options();

    const outcome = await executeWithLock(() => other.executeWithLock(chargeCustomers, both), both);
    expect(outcome).toMatchObject({ release: 'released', value: { status: 'executed', value: expect.any(Number) } });
  });
});

describe('on a platform without AsyncLocalStorage', () => {
  let bare: typeof import('single-execution');
  let memory: typeof import('single-execution/memory');

  beforeEach(async () => {
    vi.resetModules();
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
    bare = await import('single-execution');
    memory = await import('single-execution/memory');
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.resetModules();
  });

  test('currentExecution and assertLocked say so, inside a run and outside', async () => {
    const says = (caller: string) =>
      new Error(
        `${caller}: this platform has no AsyncLocalStorage; enable it (on Cloudflare: compatibility flag nodejs_compat), or pass the execution on by hand`,
      );
    const check = () => {
      expect(() => bare.currentExecution()).toThrow(says('currentExecution'));
      expect(() => bare.assertLocked()).toThrow(says('assertLocked'));
      return 'checked';
    };

    check();
    const outcome = await bare.executeWithLock(check, { ...options(), store: memory.memoryStore() });
    expect(outcome).toMatchObject({ status: 'executed', value: 'checked' });
  });

  test('runs work and are given their execution; nothing nests', async () => {
    const store = memory.memoryStore();
    const outcome = await bare.executeWithLock(
      (outer) => {
        outer.assertHeld();
        return bare.executeWithLock(() => 'inner', { ...options(), store });
      },
      { ...options(), store },
    );

    expect(outcome).toMatchObject({ release: 'released', value: { status: 'skipped', reason: 'locked' } });
  });

  test('AsyncLocalStorage of the global object is used where there is one', async () => {
    vi.restoreAllMocks();
    const hooks = process.getBuiltinModule('node:async_hooks');
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
    vi.resetModules();
    vi.stubGlobal('AsyncLocalStorage', hooks.AsyncLocalStorage);
    const edge = await import('single-execution');
    const outcome = await edge.executeWithLock((execution) => edge.currentExecution() === execution, {
      ...options(),
      store: (await import('single-execution/memory')).memoryStore(),
    });

    expect(outcome).toMatchObject({ value: true });
  });
});

test('on Bun 1.3, whose storages leave a frame behind once disabled, a call beside a run does not nest in it', async () => {
  const { AsyncLocalStorage } = process.getBuiltinModule('node:async_hooks');
  class OfOldBun<T> extends AsyncLocalStorage<T> {
    #isDisabled = false;
    override disable() {
      this.#isDisabled = true;
      super.disable();
    }
    override run<R>(value: T, callback: (...args: never[]) => R): R {
      if (!this.#isDisabled) return super.run(value, callback);
      this.#isDisabled = false;
      this.enterWith(value);
      return (callback as () => R)();
    }
  }
  vi.resetModules();
  vi.stubGlobal('Bun', {});
  vi.stubGlobal('AsyncLocalStorage', OfOldBun);
  const shared = Symbol.for('single-execution.frames.2');
  const frames = Reflect.get(globalThis, shared);
  Reflect.deleteProperty(globalThis, shared);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
    Reflect.set(globalThis, shared, frames);
  });
  const { runInFrame, findFrame: find } = await import('../../../src/core/public/execution.js');
  const frame = { isHeld: () => true } as Parameters<typeof runInFrame>[0];
  await runInFrame(frame, () => 'the first run');

  const finish = gate();
  const running = runInFrame(frame, () => finish.opened);
  expect(find(() => true)).toBeUndefined();
  finish.open();
  await running;
});

test('row 70: runs that start one another for ever do not hold on to those that have ended', async () => {
  const store = memoryStore();
  const depths: number[] = [];
  // Each run starts the next from its own asynchronous context, after its own end.
  const startNext = async (left: number): Promise<void> => {
    let next: Promise<void> = Promise.resolve();
    let depth = 0;
    await executeWithLock(
      () => {
        findFrame(() => {
          depth++;
          return false;
        });
        if (left > 0) next = new Promise((resolve) => setImmediate(() => resolve(startNext(left - 1))));
      },
      { ...options(), store },
    );
    depths.push(depth);
    await next;
  };
  await startNext(20);

  expect(depths).toEqual(Array(21).fill(1));
});
