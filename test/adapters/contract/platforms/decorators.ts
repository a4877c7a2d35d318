import { currentExecution, type Execution } from 'single-execution';
import { SingleExecution } from 'single-execution/decorator';
import type { Called, Job, Platform } from '../platform.js';
import { inProcess } from './process.js';

/** A method as a user writes it: it gets its execution from `currentExecution()`. */
const methodOf = (job: Job): Called =>
  async function (this: unknown, ...args: unknown[]) {
    return job({ self: this, args, execution: currentExecution() as Execution });
  };

/** Applies the decorator as a compiler does for the decorators of the language. */
export const decorator: Platform = {
  ...inProcess,
  title: 'a decorated method',
  wrap: (job, options) => SingleExecution(options)(methodOf(job) as never, { kind: 'method' }) as Called,
};

/** Applies the decorator as TypeScript does for NestJS (legacy decorators). NestJS then calls the class's method. */
export const nestMethod: Platform = {
  ...inProcess,
  title: 'a method of NestJS',
  lacks: { ...inProcess.lacks, 'time in the trigger': '@nestjs/schedule passes no scheduled time' },
  options: { tick: ({ date }: { readonly date?: Date }) => date },
  wrap(job, options) {
    class Jobs {}
    const own = { value: methodOf(job), writable: true, configurable: true, enumerable: false };
    const decorated: unknown = SingleExecution(options)(Jobs.prototype, 'send', own as never);
    Object.defineProperty(Jobs.prototype, 'send', decorated as PropertyDescriptor);
    return (Jobs.prototype as { send?: Called }).send as Called;
  },
};
