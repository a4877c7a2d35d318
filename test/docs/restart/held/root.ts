import * as door from '../../../../src/index.js';
import { lambdaContext, scheduledEvent } from '../../../../src/testing/lambda-invocation.js';
import { callers, held, holdsNow, tellEnd, told } from '../control.js';

/* The root door for an example whose handlers are held. */

export * from '../../../../src/index.js';

export const withSingleExecution = ((handler: never, options: never) =>
  told(door.withSingleExecution(held(handler), options), () => [
    scheduledEvent({ time: new Date() }),
    lambdaContext(),
  ])) as unknown as typeof door.withSingleExecution;

export const executeWithLock: typeof door.executeWithLock = (task, options) => {
  const call = () => tellEnd(() => door.executeWithLock(held(task), options));
  callers.push(call);
  return call();
};

export const acquireLock: typeof door.acquireLock = async (options) => {
  callers.push(() => tellEnd(async () => ({ release: await (await door.acquireLock(options)).release() })));
  const lock = await door.acquireLock(options);
  await holdsNow();
  return new Proxy(lock, {
    get(target, key) {
      const value = Reflect.get(target, key, target) as unknown;
      if (key === 'release') return () => tellEnd(async () => ({ release: await target.release() }));
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
};
