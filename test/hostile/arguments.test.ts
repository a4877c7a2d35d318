import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings as readChaosSettings } from '../chaos/soak/settings.js';
import { STAGES, type Stage } from '../sim/regime.js';
import { readSimSettings } from '../sim/settings.js';
import { kindsWith } from '../support/backends.js';
import { UsageError } from '../support/play/command.js';

const SOAKED: readonly string[] = kindsWith('network');

/** How each command reads its arguments. */
const COMMANDS = { chaos: readChaosSettings, sim: readSimSettings };

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
  ['chaos', ['--store', 'oracle'], `--store is 'oracle': pass ${SOAKED.join(', ')} or all`],
  ['chaos', ['--stores', 'all'], '--stores'],
  ['sim', ['--seeds', 'abc'], "--seeds is 'abc': pass a whole number from 1 to 1000000000"],
  ['sim', ['--from', 'x'], "--from is 'x'"],
  ['sim', ['--regime', 'toString'], "--regime is 'toString': pass synchronised, skewed"],
  ['sim', ['--stage', 'memory'], "--stage is 'memory': pass dynamodb, redis, sql or election"],
  ['sim', ['--stage', 'redis', '--regime', 'stale'], '--stage redis is not played under --regime stale'],
  ['sim', ['--seed', '1'], '--seed'],
])('npm run %s refuses %j', (command, args, message) => {
  const read = () => COMMANDS[command](args);
  expect(read).toThrow(UsageError);
  expect(read).toThrow(message);
});

test('npm run sim says what is wrong, and no stack, and ends with 2', () => {
  const program = join(import.meta.dirname, '../sim/sim.ts');
  const { status, stderr, stdout } = spawnSync(process.execPath, ['--import', 'tsx', program, '--seeds', 'many'], {
    encoding: 'utf8',
  });

  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain("--seeds is 'many': pass a whole number");
  expect(stderr).not.toMatch(/^\s+at /m);
});
