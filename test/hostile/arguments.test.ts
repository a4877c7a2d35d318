import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSettings } from '../../demo/settings.js';
import { STAGES, type Stage } from '../sim/regime.js';
import { readSimSettings } from '../sim/settings.js';
import type { Kind } from '../sim/tally.js';
import { anyText } from '../support/hostile-values.js';
import { UsageError } from '../support/play/command.js';

const COMMANDS = [
  ['demo', readSettings, ['seed', 'seconds', 'engine', 'help']],
  ['sim', readSimSettings, ['seeds', 'from', 'stage', 'regime', 'bugs']],
] as const;

const value = fc.oneof(
  anyText,
  fc.integer().map(String),
  fc.double().map(String),
  fc.constantFrom('0', '-1', '1e3', '0x10', '1_000', ' 7', '٣', 'auto', 'hostile', '__proto__', 'constructor', ''),
);

/** Known flags with any value, and anything else. */
const argsOf = (flags: readonly string[]) => {
  const flag = fc.constantFrom(...flags, 'constructor', '__proto__').map((name) => `--${name}`);
  const given = fc.oneof(
    fc.tuple(flag, value),
    fc.tuple(flag),
    fc.tuple(flag, value).map(([name, text]) => [`${name}=${text}`]),
    fc.tuple(value),
  );
  return fc.array(given, { maxLength: 4 }).map((all) => all.flat());
};

/** The settings, or nothing where they were refused in words for people. */
function settingsOf<T>(read: (args: readonly string[]) => T, args: readonly string[]): T | undefined {
  try {
    return read(args);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(/\S/);
    return undefined;
  }
}

const isWhole = (min: number, max: number) =>
  expect.toSatisfy((n: number) => Number.isInteger(n) && n >= min && n <= max);

describe.each(COMMANDS)('any arguments of npm run %s', (command, read, flags) => {
  test('are whole numbers in range and known choices, or refused in words', () => {
    fc.assert(
      fc.property(argsOf(flags), (args) => {
        const settings = settingsOf<object>(read, args);
        if (settings === undefined) return;
        expect(settings).toEqual(
          command === 'demo'
            ? {
                seed: isWhole(0, 2 ** 32 - 1),
                seconds: isWhole(20, 600),
                engine: expect.stringMatching(/^(auto|dynamodb-local|dynalite)$/),
                help: expect.any(Boolean),
              }
            : {
                seeds: isWhole(1, 1e9),
                from: isWhole(0, 2 ** 32 - 1),
                kinds: expect.toSatisfy(
                  (all: Kind[]) => all.length > 0 && all.every(({ stage, regime }) => STAGES[stage].includes(regime)),
                ),
                bugs: expect.any(Boolean),
              },
        );
      }),
      { numRuns: 2_000 },
    );
  });
});

test('what is not said is filled in', () => {
  const kinds = (Object.keys(STAGES) as Stage[]).flatMap((stage) => STAGES[stage].map((regime) => ({ stage, regime })));
  expect(readSimSettings([])).toEqual({ seeds: 8_000, from: 1, kinds, bugs: false });
  expect(readSimSettings(['--bugs', '--stage', 'redis', '--regime', 'hostile', '--from', '9'])).toEqual({
    seeds: 1_000,
    from: 9,
    kinds: [{ stage: 'redis', regime: 'hostile' }],
    bugs: true,
  });
});

test.each([
  [['--seeds', 'abc'], "--seeds is 'abc': give a whole number from 1 to 1000000000"],
  [['--seeds=-1'], "--seeds is '-1'"],
  [['--seeds', '0'], "--seeds is '0'"],
  [['--from', 'x'], "--from is 'x'"],
  [['--regime', 'toString'], "--regime is 'toString': give synchronised, skewed"],
  [['--stage', 'memory'], "--stage is 'memory': give dynamodb, redis, election"],
  [['--stage', 'redis', '--regime', 'stale'], '--stage redis is not played under --regime stale'],
  [['--seed', '1'], '--seed'],
  [['7'], '7'],
])('npm run sim refuses %j', (args, message) => {
  expect(() => readSimSettings(args)).toThrow(UsageError);
  expect(() => readSimSettings(args)).toThrow(message);
});

test.each([
  ['demo/demo.ts', ['--seconds', 'many']],
  ['test/sim/sim.ts', ['--seeds', 'many']],
])('%s says what is wrong, and no stack, and ends with 2', (file, args) => {
  const program = join(import.meta.dirname, '../..', file);
  const { status, stderr, stdout } = spawnSync(process.execPath, ['--import', 'tsx', program, ...args], {
    encoding: 'utf8',
  });

  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(`${args[0]} is 'many': give a whole number`);
  expect(stderr).not.toMatch(/^\s+at /m);
});
