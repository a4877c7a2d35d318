import { transformSync } from '@swc/core';
import { transformSync as esbuild } from 'esbuild';
import { currentExecution } from 'single-execution';
import { SingleExecution } from 'single-execution/decorator';
import ts from 'typescript';
import { describe, expect, test, vi } from 'vitest';
import { thisProcess } from '../../src/core/values/environment.js';
import { memoryLocks, NOW } from '../support/memory-locks.js';

/** A class as a user writes it. It is a text, which each compiler under test compiles. */
const SOURCE = `
class Reports {
  sent: string[] = [];
  static made = 'static';
  @SingleExecution(options)
  async send(...args: unknown[]) {
    seen(...args);
    this.sent.push(args.join());
    return this.sent;
  }
  @SingleExecution(options)
  static async make() {
    return this.made;
  }
}`;

const esbuilt = (experimentalDecorators: boolean) =>
  esbuild(SOURCE, { loader: 'ts', target: 'es2022', tsconfigRaw: { compilerOptions: { experimentalDecorators } } })
    .code;

const transpiled = (experimentalDecorators: boolean) =>
  ts.transpileModule(SOURCE, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, experimentalDecorators },
  }).outputText;

const swc = (decoratorVersion: '2022-03' | undefined) =>
  transformSync(SOURCE, {
    isModule: false,
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      target: 'es2022',
      transform: decoratorVersion ? { decoratorVersion } : { legacyDecorator: true, decoratorMetadata: true },
    },
  }).code;

interface Reports {
  sent: string[];
  send(...args: unknown[]): Promise<unknown>;
}

interface ReportsClass {
  new (): Reports;
  make(): Promise<unknown>;
}

/** The class of {@link SOURCE}, from its compiled code. */
function made(code: string, options: object, seen: (...args: unknown[]) => void = () => {}): ReportsClass {
  // biome-ignore lint/security/noGlobalEval: a program of this test's own
  const factory = eval(`((SingleExecution, options, seen) => { ${code}\nreturn Reports; })`);
  return factory(SingleExecution, options, seen);
}

function setting() {
  const { options, ...locks } = memoryLocks();
  return { ...locks, options: { ...options, tick: 'none' } as const };
}

describe.each<[string, () => string]>([
  ['tsc, standard', () => transpiled(false)],
  ['tsc, experimentalDecorators', () => transpiled(true)],
  ['esbuild, standard', () => esbuilt(false)],
  ['esbuild, experimentalDecorators', () => esbuilt(true)],
  ['swc, standard', () => swc('2022-03')],
  ['swc, legacyDecorator', () => swc(undefined)],
])('row 102: a method decorated with @SingleExecution, by %s', (_, compile) => {
  test('row 199: its own now runs it by hand, with the this and the arguments of the call', async () => {
    const { options, item } = setting();
    const Class = made(compile(), { ...options, tick: { every: '1h' } });
    const reports = new Class() as Reports & { readonly send: { readonly now: Reports['send'] } };
    await reports.send('a');
    expect(await reports.send('b')).toMatchObject({ reason: 'already-executed' });

    expect(await reports.send.now.call(reports, 'c')).toEqual(['a', 'c']);
    expect(await item()).toMatchObject({ doneTick: NOW, attemptId: expect.stringMatching(/^n/) });
    const { make } = Class as unknown as { readonly make: { readonly now: ReportsClass['make'] } };
    expect(await make.now.call(Class)).toBe('static');
  });

  test('row 102: F48 keeps its this and its arguments, and gives its value back', async () => {
    const { options, item } = setting();
    const seen = vi.fn();
    const reports = new (made(compile(), options, seen))();
    const value = await reports.send('a', 5);

    expect(seen.mock.calls).toEqual([['a', 5]]);
    expect(value).toBe(reports.sent);
    expect(value).toEqual(['a,5']);
    expect(await item()).toMatchObject({ state: 'released', result: 'succeeded', lockedBy: thisProcess() });
  });

  test('row 102: is skipped while another instance runs it, and finds its execution', async () => {
    const { options } = setting();
    const executions: unknown[] = [];
    const Made = made(compile(), options, () => {
      executions.push(currentExecution()?.fencingToken);
    });

    expect(await Promise.all([new Made().send(), new Made().send()])).toMatchObject([
      [''],
      { status: 'skipped', reason: 'locked' },
    ]);
    expect(executions).toEqual([NOW + 1]);
  });

  test('row 102: may be static', async () => {
    expect(await made(compile(), setting().options).make()).toBe('static');
  });
});

test('a decorated method keeps its name, and what other decorators have said of it', () => {
  const send = Object.assign(async function send() {}, { said: 'by another decorator' });
  const guarded = SingleExecution(setting().options)(send, { kind: 'method' });

  expect(guarded).not.toBe(send);
  expect([guarded.name, guarded.said]).toEqual(['send', 'by another decorator']);
});

test.each<[string, unknown[]]>([
  ['a field', [undefined, { kind: 'field' }]],
  ['a getter', [async () => {}, { kind: 'getter' }]],
  ['a class', [class {}, { kind: 'class' }]],
  ['a legacy property', [{}, 'send', undefined]],
  ['a legacy getter', [{}, 'send', { get: () => 5 }]],
  ['a legacy class', [class {}]],
])('what is no method is refused with the remedy: %s', (_, args) => {
  const decorate = SingleExecution(setting().options) as unknown as (...args: unknown[]) => unknown;
  expect(() => decorate(...args)).toThrow(/^SingleExecution decorates .*: put it on a method$/);
});
