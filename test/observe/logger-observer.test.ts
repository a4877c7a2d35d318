import { Logger } from '@aws-lambda-powertools/logger';
import { pino } from 'pino';
import { loggerObserver } from 'single-execution/observe';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SCENES } from './scenes.js';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly source: string;
  readonly lockEvent: { readonly type: string; readonly name: string };
}

let written: string[];
beforeEach(() => {
  written = [];
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'INFO');
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** How each kind of logger is made such that its lines are kept, and read. */
const LOGGERS: Readonly<Record<string, () => { logger: Parameters<typeof loggerObserver>[0]; lines(): Line[] }>> = {
  'Powertools’ Logger': () => {
    for (const level of ['info', 'warn', 'error'] as const) {
      vi.spyOn(console, level).mockImplementation((line) => void written.push(line));
    }
    const lower = (line: Line) => ({ ...line, level: line.level.toLowerCase() });
    return { logger: new Logger({ serviceName: 'jobs' }), lines: () => written.map((line) => lower(JSON.parse(line))) };
  },
  pino: () => {
    const logger = pino(
      { name: 'jobs', messageKey: 'message', formatters: { level: (level) => ({ level }) } },
      {
        write: (line) => void written.push(line),
      },
    );
    return { logger, lines: () => written.map((line) => JSON.parse(line)) };
  },
  console: () => {
    const lines: Line[] = [];
    for (const level of ['info', 'warn', 'error'] as const) {
      vi.spyOn(console, level).mockImplementation((message, fields) => void lines.push({ level, message, ...fields }));
    }
    return { logger: console, lines: () => lines };
  },
};

describe.each(Object.keys(LOGGERS))('row 104: loggerObserver with %s', (kind) => {
  test.each<[scene: string, level: string, message: RegExp]>([
    ['skipped', 'info', /^lock "digest": skipped, this tick is done$/],
    ['lost', 'warn', /^lock "digest": lost before its run ended$/],
    ['recovered', 'warn', /^lock "digest": the run before crashed$/],
    ['missed', 'warn', /^lock "digest": ticks missed: 3$/],
    ['caught-up', 'info', /^lock "digest": caught up with tick 2026-01-01T00:01:00.000Z$/],
    ['acquire-failed', 'error', /^lock "digest": could not be acquired$/],
  ])('row 104: what is %s is a line at level %s', async (scene, level, message) => {
    const { logger, lines } = LOGGERS[kind]?.() ?? {};
    await SCENES[scene]?.(loggerObserver(logger as Console));

    const own = lines?.().filter(({ lockEvent }) => lockEvent.type === scene);
    expect(own).toEqual([
      expect.objectContaining({
        level,
        message: expect.stringMatching(message),
        source: 'single-execution',
        lockEvent: expect.objectContaining({ name: 'digest', type: scene }),
      }),
    ]);
  });

  test('row 104: a run that no operator must see writes nothing', async () => {
    const { logger, lines } = LOGGERS[kind]?.() ?? {};
    const observer = loggerObserver(logger as Console);
    for (const type of ['attempted', 'acquired', 'started', 'finished'] as const) {
      observer({ type, name: 'digest', at: new Date(), fencingToken: 1, durationMs: 5, release: 'released' });
    }

    expect(lines?.()).toEqual([]);
  });
});

test.each([undefined, null, 'console', {}, { info() {}, warn() {} }])('what is no logger is refused: %o', (logger) => {
  expect(() => loggerObserver(logger as never)).toThrow(/^logger (is|has).*pass a logger, such as/);
});
