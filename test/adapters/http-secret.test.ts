import fc from 'fast-check';
import { type Options, withSingleExecution } from 'single-execution/http';
import { beforeEach, describe, expect, type Mock, test, vi } from 'vitest';
import { secretCheck } from '../../src/core/wrap/request-secret.js';
import { memoryLocks } from '../support/memory-locks.js';

let told: Mock<typeof console.warn>;
beforeEach(() => {
  told = vi.spyOn(console, 'warn').mockReturnValue();
  return () => told.mockRestore();
});
/** The messages of the warnings so far. */
const messages = () => told.mock.calls.map(([line]) => JSON.parse(line).message);

const URL = 'https://example.com/api/digest';

const asking = (authorization?: string) =>
  new Request(URL, { headers: authorization === undefined ? {} : { authorization } });

function setting(over: Pick<Options, 'secret'> = {}) {
  const { store, options } = memoryLocks();
  const acquire = vi.spyOn(store, 'acquire');
  const handler = vi.fn(async (_request: Request) => new Response('sent'));
  const wrap = () => withSingleExecution(handler, { ...options, tick: 'none', ...over });
  return { acquire, handler, wrap };
}

describe('row 66: the secret of the scheduler', () => {
  test.each<[string, string | undefined]>([
    ['nothing', undefined],
    ['the secret alone', 's3cret'],
    ['another scheme', 'Basic s3cret'],
  ])(
    'row 66: a caller who sends %s is answered with 401; nothing is written and nothing runs',
    async (_, authorization) => {
      const { acquire, handler, wrap } = setting({ secret: 's3cret' });
      const response = await wrap()(asking(authorization), {});

      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(await response.json()).toEqual({ status: 'error', code: 'UNAUTHORIZED' });
      expect(acquire).not.toHaveBeenCalled();
      expect(handler).not.toHaveBeenCalled();
    },
  );

  test('row 66: F94 the body of a refused request is not read', async () => {
    const pull = vi.fn();
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const headers = { 'content-type': 'application/json' };
    const request = new Request(URL, { method: 'POST', headers, body, duplex: 'half' });
    const response = await setting({ secret: 's3cret' }).wrap()(request, {});

    expect(response.status).toBe(401);
    expect([pull.mock.calls.length, request.bodyUsed]).toEqual([0, false]);
  });

  test('row 66: the name and the tick of a refused request are not computed', async () => {
    const [name, tick] = [vi.fn(() => 'digest'), vi.fn(() => undefined)];
    const { options } = memoryLocks();
    const route = withSingleExecution(() => new Response(), { ...options, secret: 's3cret', name, tick });

    expect((await route(asking(), {})).status).toBe(401);
    expect([name.mock.calls, tick.mock.calls]).toEqual([[], []]);
  });

  test('row 66: no other value than the secret itself is accepted', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]([ -~]*[!-~])?$/), fc.string(), (secret, given) => {
        const check = secretCheck({ secret });
        const request = (authorization: string) => ({ headers: new Map([['authorization', authorization]]) });

        const isRefused = (authorization: string) => check(request(authorization) as never)?.status === 401;

        expect(isRefused(`Bearer ${secret}`)).toBe(false);
        expect(isRefused(`Bearer ${given}`)).toBe(given !== secret);
        expect(isRefused(given)).toBe(given !== `Bearer ${secret}`);
      }),
    );
  });

  test.each<[string, string]>([
    ['the secret', 'Bearer s3cret'],
    ['what differs in its first character', '-earer s3cret'],
    ['what differs in its last character', 'Bearer s3cre-'],
    ['what is too short', 'Bearer'],
    ['what is too long', 'Bearer s3cret and then some'],
  ])('row 66: %s is compared to its end, so that the time of the answer does not show where it differs', (_, shown) => {
    const looked: number[] = [];
    const charCodeAt = (i: number) => {
      looked.push(i);
      return shown.charCodeAt(i);
    };
    const headers = { get: () => ({ length: shown.length, charCodeAt }) };

    expect(secretCheck({ secret: 's3cret' })({ headers } as never)?.status).toBe(
      shown === 'Bearer s3cret' ? undefined : 401,
    );
    expect(looked).toEqual(Array.from(shown, (_, i) => i));
  });
});

describe('row 66: the secret of a route', () => {
  test.each<[string, Pick<Options, 'secret'>, string | undefined, number]>([
    ['is that of the option', { secret: 's3cret' }, 'Bearer s3cret', 200],
    ['is not that of the environment then', { secret: 's3cret' }, 'Bearer from-env', 401],
    ['is CRON_SECRET of the environment by default, read when a request comes', {}, 'Bearer from-env', 200],
    ['is needed by default', {}, undefined, 401],
    ['is not needed if it is false, even if CRON_SECRET is set', { secret: false }, undefined, 200],
  ])('row 66: %s', async (_, over, authorization, status) => {
    const route = setting(over).wrap();
    vi.stubEnv('CRON_SECRET', 'from-env');

    expect((await route(asking(authorization), {})).status).toBe(status);
  });

  test.each<[string, string | undefined]>([
    ['not set', undefined],
    ['empty', ''],
  ])('F94 every request is refused if CRON_SECRET is %s; wrapping works, as in a build', async (_, secret) => {
    vi.stubEnv('CRON_SECRET', secret);
    const { acquire, handler, wrap } = setting();
    const route = wrap();
    const responses: Response[] = [];
    for (const shown of [undefined, 'Bearer ', 'Bearer undefined']) responses.push(await route(asking(shown), {}));

    expect(responses.map((response) => response.status)).toEqual([500, 500, 500]);
    expect(await responses[0]?.json()).toEqual({ status: 'error', code: 'SECRET_MISSING' });
    expect([acquire.mock.calls, handler.mock.calls]).toEqual([[], []]);
    expect(messages()).toEqual([
      'a request was refused with status 500, because CRON_SECRET is not set: set it, pass secret, or set secret: false if nobody else can call',
    ]);
  });

  test.each(['s3cret\n', ' s3cret', 's3cret ', 's3cret\r\n', 'g\u{e9}heim', 'a\tb', ' '])(
    'F156: a CRON_SECRET that no header can carry is named, and not shown: %j',
    async (secret) => {
      vi.stubEnv('CRON_SECRET', secret);
      const { acquire, handler, wrap } = setting();
      const route = wrap();
      const responses: Response[] = [];
      for (const shown of [undefined, 'Bearer s3cret', `Bearer ${secret.trim()}`].filter(
        (one) => !/[^ -~]/.test(one ?? ''),
      ))
        responses.push(await route(asking(shown), {}));

      expect(new Set(responses.map((response) => response.status))).toEqual(new Set([500]));
      expect(await responses[0]?.json()).toEqual({ status: 'error', code: 'SECRET_UNSENDABLE' });
      expect([acquire.mock.calls, handler.mock.calls]).toEqual([[], []]);
      expect(messages()).toEqual([expect.stringContaining('no header can carry CRON_SECRET: set it')]);
    },
  );

  test('row 65: F94 every request is refused if there is no environment', async () => {
    const { handler, wrap } = setting();
    vi.stubGlobal('process', undefined);
    const response = await wrap()(asking(), {});
    vi.unstubAllGlobals();

    expect(response.status).toBe(500);
    expect(handler).not.toHaveBeenCalled();
  });
});

describe('row 14: the option secret', () => {
  const UNSENDABLE = 'secret cannot be sent in a header: pass printable ASCII without blanks at its ends';

  test.each([
    ['an umlaut', 'gehübsch'],
    ['a newline inside', 's3\ncret'],
  ])('row 14: a secret that no header can carry is refused when wrapping: with %s', (_, secret) => {
    expect(setting({ secret }).wrap).toThrow(new TypeError(UNSENDABLE));
  });

  test('row 14: a secret is accepted only if a header can carry it unchanged, in ASCII', () => {
    const isAscii = (text: string) => [...text].every((sign) => sign >= ' ' && sign <= '~');
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary-ascii' }), (secret) => {
        const isSendable = isAscii(secret) && secret.trim() === secret;
        const check = () => secretCheck({ secret })(asking(`Bearer ${secret}`));

        if (isSendable) expect(check()).toBeUndefined();
        else expect(check).toThrow(UNSENDABLE);
      }),
    );
  });

  test.each<[unknown, string]>([
    ['', 'secret is empty'],
    [undefined, 'secret is undefined'],
    [null, 'secret is null'],
    [true, 'secret is true'],
    [{ value: 's3cret' }, 'secret is an object'],
  ])('row 14: %o, such as of a variable that is not set, is refused when wrapping', (secret, what) => {
    expect(setting({ secret: secret as string }).wrap).toThrow(
      new TypeError(`${what}: pass the secret that the scheduler sends, or false if nobody else can call`),
    );
  });
});

test('F94 logs nothing if the secret is right, or if none is needed', () => {
  vi.stubEnv('CRON_SECRET', 'of-the-project');
  secretCheck({})(asking('Bearer of-the-project'));
  secretCheck({ secret: 's3cret' })(asking('Bearer s3cret'));
  secretCheck({ secret: false })(asking());

  expect(told).not.toHaveBeenCalled();
});

test('F94 logs once that a request was refused, without the secret and without what was sent', async () => {
  const route = setting({ secret: 's3cret' }).wrap();
  for (const shown of [undefined, 'Bearer hunter2', 'Bearer s3cret', 'Basic hunter2']) await route(asking(shown), {});

  expect(messages()).toEqual([
    'a request was refused with status 401, because it did not show the secret; if it was the scheduler, compare what it sends',
  ]);
  expect(String(told.mock.calls)).not.toMatch(/s3cret|hunter2/);
});
