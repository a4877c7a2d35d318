import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSettings as readChaosSettings } from '../chaos/soak/settings.js';
import { type Kind, STAGES, type Stage } from '../sim/regime.js';
import { readSimSettings } from '../sim/settings.js';
import { kindsWith } from '../support/backends.js';
import { anyText } from '../support/hostile-values.js';
import { UsageError } from '../support/play/command.js';

const isWhole = (min: number, max: number) =>
  expect.toSatisfy((n: number) => Number.isInteger(n) && n >= min && n <= max);
const isSeed = isWhole(0, 2 ** 32 - 1);

const SOAKED: readonly string[] = kindsWith('network');

/** For each command: how it reads its arguments, which flags it takes, and what its settings can be. */
const COMMANDS = {
  chaos: {
    read: readChaosSettings,
    flags: ['seed', 'minutes', 'store', 'help'],
    settings: {
      seed: isSeed,
      minutes: isWhole(1, 600),
      stores: expect.toSatisfy((stores: string[]) => [...SOAKED, String(SOAKED)].includes(String(stores))),
      help: expect.any(Boolean),
    },
  },
  sim: {
    read: readSimSettings,
    flags: ['seeds', 'from', 'stage', 'regime', 'bugs'],
    settings: {
      seeds: isWhole(1, 1e9),
      from: isSeed,
      kinds: expect.toSatisfy(
        (all: Kind[]) => all.length > 0 && all.every(({ stage, regime }) => STAGES[stage].includes(regime)),
      ),
      bugs: expect.any(Boolean),
    },
  },
};

const value = fc.oneof(
  anyText,
  fc.integer().map(String),
  fc.double().map(String),
  fc.constantFrom('0', '-1', '1e3', '0x10', '1_000', ' 7', '٣', 'auto', 'hostile', '__proto__', 'constructor', ''),
);

/** Arguments: known flags with any value, and any other text. */
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

/** The settings; undefined if the arguments were refused with a message for people. */
function settingsOf<T>(read: (args: readonly string[]) => T, args: readonly string[]): T | undefined {
  try {
    return read(args);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(/\S/);
    return undefined;
  }
}

test.each(Object.entries(COMMANDS))('any arguments of npm run %s are understood, or refused in words', (_, command) => {
  fc.assert(
    fc.property(argsOf(command.flags), (args) => {
      const settings = settingsOf<object>(command.read, args);
      if (settings !== undefined) expect(settings).toEqual(command.settings);
    }),
    { numRuns: 2_000 },
  );
});

test('what is not said is filled in', () => {
  expect(readChaosSettings(['--seed', '7'])).toEqual({ seed: 7, minutes: 1, stores: SOAKED, help: false });
  const kinds = (Object.keys(STAGES) as Stage[]).flatMap((stage) => STAGES[stage].map((regime) => ({ stage, regime })));
  expect(readSimSettings([])).toEqual({ seeds: 4_000, from: 1, kinds, bugs: false });
});

test('every option is read', () => {
  expect(readChaosSettings(['--seed=0', '--minutes', '600', '--store', 'upstash', '--help'])).toEqual({
    seed: 0,
    minutes: 600,
    stores: ['upstash'],
    help: true,
  });
  expect(readSimSettings(['--bugs', '--stage', 'redis', '--regime', 'hostile', '--from', '9'])).toEqual({
    seeds: 1_000,
    from: 9,
    kinds: [{ stage: 'redis', regime: 'hostile' }],
    bugs: true,
  });
});

test.each<[keyof typeof COMMANDS, string[], string]>([
  ['chaos', ['--minutes', '0'], "--minutes is '0': pass a whole number from 1 to 600"],
  ['chaos', ['--minutes', '0.5'], '--minutes'],
  ['chaos', ['--store', 'oracle'], `--store is 'oracle': pass ${SOAKED.join(', ')} or all`],
  ['chaos', ['--store', ''], '--store'],
  ['chaos', ['--stores', 'all'], '--stores'],
  ['sim', ['--seeds', 'abc'], "--seeds is 'abc': pass a whole number from 1 to 1000000000"],
  ['sim', ['--seeds=-1'], "--seeds is '-1'"],
  ['sim', ['--seeds', '0'], "--seeds is '0'"],
  ['sim', ['--from', 'x'], "--from is 'x'"],
  ['sim', ['--regime', 'toString'], "--regime is 'toString': pass synchronised, skewed"],
  ['sim', ['--stage', 'memory'], "--stage is 'memory': pass dynamodb, redis, sql or election"],
  ['sim', ['--stage', 'redis', '--regime', 'stale'], '--stage redis is not played under --regime stale'],
  ['sim', ['--seed', '1'], '--seed'],
  ['sim', ['7'], '7'],
])('npm run %s refuses %j', (command, args, message) => {
  const { read } = COMMANDS[command];
  expect(() => read(args)).toThrow(UsageError);
  expect(() => read(args)).toThrow(message);
});

test.each([
  ['test/chaos/soak/chaos.ts', ['--minutes', 'many']],
  ['test/sim/sim.ts', ['--seeds', 'many']],
])('%s says what is wrong, and no stack, and ends with 2', (file, args) => {
  const program = join(import.meta.dirname, '../..', file);
  const { status, stderr, stdout } = spawnSync(process.execPath, ['--import', 'tsx', program, ...args], {
    encoding: 'utf8',
  });

  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(`${args[0]} is 'many': pass a whole number`);
  expect(stderr).not.toMatch(/^\s+at /m);
});
