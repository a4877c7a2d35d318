import { SingleExecution as Decorate } from '../../../../src/aspects/decorator.js';
import { currentExecution } from '../../../../src/index.js';
import { held, told } from '../control.js';

/* The door of decorators for an example whose methods are held. NestJS decorates in the legacy way. */

type Method = (...args: unknown[]) => Promise<unknown>;

export const SingleExecution =
  (options: Parameters<typeof Decorate>[0]) =>
  (target: object, key: string, descriptor: TypedPropertyDescriptor<Method>): void => {
    descriptor.value = held(descriptor.value as Method, () => currentExecution()?.tick);
    Decorate(options)(target, key, descriptor);
    descriptor.value = told(descriptor.value);
  };
