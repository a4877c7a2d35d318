import { describe, expect, test } from 'vitest';
import { refusalOf } from '../../../src/cli/console/gate.js';

const HOUSE = { port: 8_123, token: 'secret', readOnly: false };
const GOOD = { host: '127.0.0.1:8123', authorization: 'Bearer secret' };

const asks = (path: string, headers: Record<string, string | undefined>, method = 'GET', house = HOUSE) =>
  refusalOf({ method, path, headers }, house)?.status ?? 'passes';

describe('a request to the console', () => {
  test.each(['127.0.0.1:8123', 'localhost:8123', '[::1]:8123'])('passes with the token and the host %s', (host) => {
    expect(asks('/api/locks', { ...GOOD, host })).toBe('passes');
    expect(asks('/api/locks', { ...GOOD, host, origin: `http://${host}` })).toBe('passes');
  });

  test('passes with a host without its port where that is 80, as browsers send it', () => {
    const house = { ...HOUSE, port: 80 };
    expect(asks('/api/locks', { ...GOOD, host: '127.0.0.1', origin: 'http://127.0.0.1' }, 'GET', house)).toBe('passes');
  });

  test.each([undefined, '', 'evil.example:8123', '127.0.0.1', '127.0.0.1:80', '127.0.0.1.evil.example:8123'])(
    'is refused with the host %s, the page too',
    (host) => {
      expect(asks('/api/locks', { ...GOOD, host })).toBe(403);
      expect(asks('/', { host })).toBe(403);
    },
  );

  test.each(['http://evil.example', 'https://127.0.0.1:8123', 'http://127.0.0.1:9000', 'null', ''])(
    'is refused from the origin %s, the page too',
    (origin) => {
      expect(asks('/api/locks', { ...GOOD, origin })).toBe(403);
      expect(asks('/', { ...GOOD, origin })).toBe(403);
    },
  );

  test.each([undefined, '', 'secret', 'Bearer', 'Bearer secrets', 'Bearer SECRET', 'bearer secret'])(
    'is refused with the authorization %s, wherever it goes but to the page',
    (authorization) => {
      for (const path of ['/api/locks', '/api/console', '/api', '/x/api/locks', '//api/locks', '/index.html']) {
        expect(asks(path, { ...GOOD, authorization })).toBe(401);
      }
      expect(asks('/', { ...GOOD, authorization }, 'POST')).toBe(401);
    },
  );

  test('for the page needs no token: the page holds no data', () => {
    expect(asks('/', { host: GOOD.host })).toBe('passes');
  });

  test('reads and changes nothing else when the console is read-only', () => {
    const readOnly = { ...HOUSE, readOnly: true };

    expect(asks('/api/locks', GOOD, 'GET', readOnly)).toBe('passes');
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      for (const headers of [GOOD, { host: GOOD.host }]) {
        expect(asks('/api/locks/digest/pause', headers, method, readOnly)).toBe(403);
      }
    }
  });
});
