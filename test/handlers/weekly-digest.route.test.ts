import { memoryStore } from 'single-execution/memory';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';

const load = () => import('../../handlers/weekly-digest.route.js');
let GET: Awaited<ReturnType<typeof load>>['GET'];
const mailed = vi.fn<(key: string | null, mail: unknown) => Response>();

afterAll(() => vi.doUnmock('single-execution/upstash'));
beforeEach(async () => {
  vi.stubEnv('BLOG_API_URL', 'https://blog.example/api/');
  vi.stubEnv('MAIL_API_URL', 'https://mail.example/');
  vi.stubEnv('MAIL_API_KEY', 'key');
  vi.stubEnv('CRON_SECRET', 'secret');
  vi.resetModules();
  vi.doMock('single-execution/upstash', () => ({ upstashStore: memoryStore }));
  ({ GET } = await load());

  mailed.mockReset().mockImplementation(() => Response.json({}));
  vi.stubGlobal('fetch', async (url: URL, init: RequestInit) => {
    if (url.href === 'https://blog.example/api/subscribers') {
      return Response.json([
        { id: '1', email: 'ada@example.com' },
        { id: '2', email: 'bob@example.com' },
      ]);
    }
    if (url.href === 'https://blog.example/api/posts?before=2026-01-05&days=7') {
      return Response.json([{ title: 'News', url: 'https://blog.example/news' }]);
    }
    expect(url.href).toBe('https://mail.example/emails');
    return mailed(new Headers(init.headers).get('idempotency-key'), JSON.parse(String(init.body)));
  });
});

const call = (headers: Record<string, string>) =>
  GET(new Request('https://app.example/api/weekly-digest', { headers }), { params: Promise.resolve({}) });
const monday = () => call({ authorization: 'Bearer secret', 'ce-vssscheduledat': '2026-01-05T06:00:00.000Z' });

test('mails each subscriber the posts of the week, under a key that makes it one mail', async () => {
  const response = await monday();

  expect(await response.json()).toEqual({ week: '2026-01-05', posts: 1, mails: 2 });
  expect(mailed.mock.calls).toEqual([
    [
      'weekly-digest/2026-01-05/1',
      { to: 'ada@example.com', subject: 'What is new, 2026-01-05', text: 'News\nhttps://blog.example/news' },
    ],
    ['weekly-digest/2026-01-05/2', expect.objectContaining({ to: 'bob@example.com' })],
  ]);
});

test('row 66: answers a second delivery of the week with status 200, and mails nobody twice', async () => {
  const [first, second] = await Promise.all([monday(), monday()]);

  expect(first.status).toBe(200);
  expect(await second.json()).toMatchObject({ status: 'skipped', name: 'weekly-digest', reason: 'locked' });
  expect(await (await monday()).json()).toMatchObject({ status: 'skipped', reason: 'already-executed' });
  expect(mailed).toHaveBeenCalledTimes(2);
});

test('row 66: mails for nobody but the scheduler', async () => {
  expect((await call({})).status).toBe(401);
  expect((await call({ authorization: 'Bearer guess' })).status).toBe(401);
  expect(mailed).not.toHaveBeenCalled();
});

test('fails when a mail does, and runs when the week is delivered again, under the same keys', async () => {
  mailed.mockImplementationOnce(() => new Response('down', { status: 503 }));

  await expect(monday()).rejects.toThrow('the mail to subscriber 1 failed: HTTP 503');
  expect((await monday()).status).toBe(200);
  expect(mailed.mock.calls.map(([key]) => key)).toEqual([
    'weekly-digest/2026-01-05/1',
    'weekly-digest/2026-01-05/1',
    'weekly-digest/2026-01-05/2',
  ]);
});

test('row 66: without its secret nobody is mailed, whoever calls', async () => {
  vi.stubEnv('CRON_SECRET', '');
  const told = vi.spyOn(console, 'warn').mockReturnValue();

  expect((await monday()).status).toBe(500);
  expect(mailed).not.toHaveBeenCalled();
  told.mockRestore();
});
