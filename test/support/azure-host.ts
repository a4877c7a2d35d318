import { createRequire, Module } from 'node:module';

/*
 * The host of Azure Functions and its worker cannot be had from the npm registry. This plays their part around the real
 * package @azure/functions: it is the module `@azure/functions-core`, which the worker puts in its place, and it calls
 * a function with a timer as the host writes it.
 */

type Callback = (...args: unknown[]) => unknown;
interface Metadata {
  readonly name: string;
  readonly bindings: Readonly<Record<string, { readonly type?: string }>>;
}
interface Model {
  getInvocationModel(core: object): {
    getArguments(): Promise<{ readonly context: object; readonly inputs: unknown[] }>;
    invokeFunction(context: object, inputs: unknown[], callback: Callback): Promise<unknown>;
    getResponse(context: object, result: unknown): Promise<object>;
  };
}

/** A timer as the host writes it, and what it says of a retry. */
export interface TimerCall {
  readonly timer: object;
  readonly retryContext?: { readonly retryCount: number; readonly maxRetryCount: number };
}

export interface AzureHost {
  /** The real package, of the version that was asked for. */
  readonly functions: typeof import('@azure/functions');
  /** Calls a function that was registered. @returns what the handler has resolved to */
  invoke(name: string, call: TimerCall): Promise<unknown>;
}

/**
 * Loads the package @azure/functions as the worker does.
 *
 * @param load loads it by its name in a set of packages
 * @param log gets what functions log
 */
export function azureHost(
  load: NodeJS.Require = createRequire(import.meta.url),
  name = '@azure/functions',
  log: (line: string) => void = () => undefined,
): AzureHost {
  const registered = new Map<string, { readonly metadata: Metadata; readonly callback: Callback }>();
  let model: Model | undefined;
  const core = {
    version: '3.0.0',
    setProgrammingModel(its: Model) {
      model = its;
    },
    registerFunction: (metadata: Metadata, callback: Callback) =>
      void registered.set(metadata.name, { metadata, callback }),
    log: () => undefined,
  };
  const { require: real } = Module.prototype;
  const withCore = function (this: Module, id: string) {
    return id === '@azure/functions-core' ? core : real.call(this, id);
  };
  Module.prototype.require = Object.assign(withCore, real);
  const functions = load(name) as typeof import('@azure/functions');
  // The package loads the core with its first function.
  functions.app.timer('first', { schedule: '0 0 0 1 1 *', handler: () => undefined });
  Module.prototype.require = real;
  let calls = 0;
  return {
    functions,
    async invoke(name, { timer, retryContext }) {
      const { metadata, callback } = registered.get(name) ?? {};
      if (!metadata || !callback || !model) throw new Error(`${name} is not registered`);
      const [binding = ''] = Object.keys(metadata.bindings);
      const inputData = [{ name: binding, data: { json: JSON.stringify(timer) } }];
      const request = { inputData, triggerMetadata: {}, ...(retryContext && { retryContext }) };
      const logs = (_level: string, _category: string, line: string) => log(line);
      const core = { invocationId: `call ${calls++}`, metadata, request, log: logs };
      const invocation = model.getInvocationModel(core);
      const { context, inputs } = await invocation.getArguments();
      const result = await invocation.invokeFunction(context, inputs, callback);
      await invocation.getResponse(context, result);
      return result;
    },
  };
}
