import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Server } from 'node:net';
import { manualClock } from 'single-execution/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type ClientAge, type Library, libraryOn } from '../../faults/clients.js';
import { hurriedClock } from '../../support/clocks.js';
import { callOfTries, storeCall } from '../../support/contract-harness.js';
import { listening } from '../../support/loopback.js';
import { claim, done } from '../../support/one-run.js';
import { failureOf } from '../../support/settled.js';
import { EXPIRED_CERTIFICATE, TEST_CERTIFICATE, TEST_KEY } from '../../support/test-certificates.js';

const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Answers every request as DynamoDB does, and counts. */
function counting() {
  let requests = 0;
  const answer: RequestListener = (request, response) => {
    requests++;
    request.resume().on('end', () => response.writeHead(200, { 'x-amzn-requestid': 'R1' }).end('{}'));
  };
  return { answer, requests: () => requests };
}

interface Ports {
  readonly plain: number;
  readonly secure: number;
  readonly expired: number;
}
/** Options of a client, some of which its types refuse. */
type Config = (ports: Ports) => object;
type Mistake = readonly [what: string, config: Config, says: RegExp, unknownTo?: ClientAge];

const REGION = /client's region is missing or wrong|client's endpoint is missing or wrong|no request can be sent/;
const ENDPOINT = /client's endpoint is missing or wrong/;
const MODE = /client's (accountIdEndpointMode|endpoint) is missing or wrong/;
const TLS = /no request can be sent \((\w*CERT\w*|EPROTO|ERR_SSL_WRONG_VERSION_NUMBER)\)/;

const at = (endpoint: string) => () => ({ endpoint });
const failing = (what: string) => () => Promise.reject(new Error(`no ${what}`));
const plainAt = ({ plain }: Ports) => ({ endpoint: `http://127.0.0.1:${plain}` });
const handled = (handle: () => unknown) => () => ({ requestHandler: { handle } });
const noAgent = () => Promise.reject(new TypeError('agent.addRequest is not a function'));

const MISTAKES: readonly Mistake[] = [
  ['an endpoint without a scheme', at('localhost:8000'), ENDPOINT],
  ['an address without a scheme', at('127.0.0.1:8000'), ENDPOINT],
  ['an endpoint that is a word', at('dynamodb'), ENDPOINT],
  ['an endpoint of another protocol', at('ftp://127.0.0.1:8000'), ENDPOINT],
  ['a port that does not exist', at('http://127.0.0.1:80000'), ENDPOINT],
  ['a host with a blank', at('http://local host:8000'), ENDPOINT],
  ['a function for the endpoint that fails', () => ({ endpoint: failing('endpoint') }), ENDPOINT],
  ['no region at all', () => ({ region: async () => '' }), REGION],
  ['a region with a blank', () => ({ region: 'eu west-1' }), REGION],
  ['a region with a line break', () => ({ region: 'eu-west-1\n' }), REGION],
  ['a function for the region that fails', () => ({ region: failing('region') }), REGION],
  ['FIPS with an endpoint', (ports) => ({ useFipsEndpoint: true, ...plainAt(ports) }), ENDPOINT],
  ['account ids in endpoints, and none', () => ({ accountIdEndpointMode: 'required' }), ENDPOINT, 'oldest'],
  ['an unknown account-id mode', () => ({ accountIdEndpointMode: 'sometimes' }), MODE, 'oldest'],
  ['a self-signed certificate', ({ secure }) => ({ endpoint: `https://localhost:${secure}` }), TLS],
  ['an expired certificate', ({ expired }) => ({ endpoint: `https://localhost:${expired}` }), TLS],
  ['TLS to a plain port', ({ plain }) => ({ endpoint: `https://127.0.0.1:${plain}` }), TLS],
  [
    'a handler of requests that is none',
    handled(() => undefined),
    /did not get this from DynamoDB: Cannot destructure/,
  ],
  ['an agent that is none', handled(noAgent), /agent.addRequest is not a function/],
  [
    'a secret with a line break',
    (ports) => ({ ...plainAt(ports), credentials: { ...CREDENTIALS, sessionToken: 'a\nb' } }),
    /no request can be sent \(ERR_INVALID_CHAR\)/,
  ],
];

const OUTAGES: readonly (readonly [what: string, config: Config])[] = [
  ['a port where nobody listens', at('http://127.0.0.1:1')],
  ['a host that is not known', at('http://nobody.invalid')],
  ['a plain request to a port of TLS', ({ secure }) => ({ endpoint: `http://localhost:${secure}` })],
];

/** Ways in which a credential provider fails; the last of each may look like an error of the store. */
const HICCUPS: readonly (readonly [string, () => unknown])[] = [
  ['an error of the chain', () => named('CredentialsProviderError')],
  [
    'an error of the chain that tries the next link',
    () => Object.assign(named('CredentialsProviderError'), { tryNextLink: true }),
  ],
  ['an error without a name', () => new Error('hiccup')],
  ['a text', () => 'hiccup'],
  ['undefined', () => undefined],
  ['a TypeError', () => new TypeError("Cannot read properties of undefined (reading 'x')")],
  ['a metadata service that refuses', () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
  ['a metadata service that is reset', () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
  ['a timeout', () => named('TimeoutError')],
  ['an expired token of STS', () => answered('ExpiredTokenException', 400)],
  ['a right that is missing at STS', () => answered('AccessDeniedException', 403)],
  ['an error of STS, after tries of its own', () => answered('InternalFailure', 500)],
  ['a validation of STS', () => answered('ValidationException', 400)],
  ['a condition, of all things', () => answered('ConditionalCheckFailedException', 400)],
];

const named = (name: string) => Object.assign(new Error('hiccup'), { name });
const answered = (name: string, httpStatusCode: number) =>
  Object.assign(named(name), { $fault: 'client', $metadata: { httpStatusCode, attempts: 3 } });

/** Plays the mistakes in the configuration of a client, and the hiccups of its credentials, over one version of it. */
export function playMistakes(title: string, age: ClientAge): void {
  describe(title, () => {
    const { answer, requests } = counting();
    const servers: Server[] = [];
    let library: Library;
    let ports: Ports;

    beforeAll(async () => {
      library = await libraryOn(age);
      const started = (server: Server) => {
        servers.push(server);
        return listening(server);
      };
      const secure = (cert: string) => started(createSecureServer({ key: TEST_KEY, cert }, answer));
      ports = {
        plain: await started(createServer(answer)),
        secure: await secure(TEST_CERTIFICATE),
        expired: await secure(EXPIRED_CERTIFICATE),
      };
    }, 60_000);
    afterAll(() => {
      for (const server of servers) server.close();
    });

    /** A store over a client of this version, with the time of a call on a clock that hurries. */
    function storeOf(config: object) {
      const client = new library.DynamoDBClient({
        region: 'eu-west-1',
        credentials: CREDENTIALS,
        maxAttempts: 1,
        ...config,
      });
      onTestFinished(() => client.destroy());
      return library.dynamoDBStore({ tableName: 'locks', client });
    }

    const failure = (config: object, call = callOfTries(2)) => failureOf(storeOf(config).acquire(claim(), call));

    const known = MISTAKES.filter(([, , , unknownTo]) => unknownTo !== age);
    test.each(known.map(([what, config, says]) => [what, config, says] as const))(
      'F120 %s is told at once',
      async (_, config, says) => {
        // On a clock that stands still, no second try begins, and no call ends in time.
        const error = await failure(config(ports), storeCall(manualClock()));

        expect(error).toMatchObject({ name: 'LockStoreError', code: 'INVALID_REQUEST', retryable: false });
        expect(error.message).toMatch(says);
      },
    );

    test.each(OUTAGES)('F120 %s may pass, so it is an outage', async (_, config) => {
      expect(await failure(config(ports))).toMatchObject({ code: 'UNAVAILABLE', retryable: true });
    });

    describe('its credentials', () => {
      test.each(HICCUPS)('F121 that fail once by %s are asked for again', async (_, hiccup) => {
        let asked = 0;
        const credentials = async () => {
          if (asked++ === 0) throw hiccup();
          return CREDENTIALS;
        };
        const before = requests();

        const granted = await storeOf({ ...plainAt(ports), credentials }).acquire(claim(), long());
        expect(granted).toMatchObject({ status: 'acquired' });
        // No cancel: nothing had been sent.
        expect(requests() - before).toBe(1);
      });

      test.each(HICCUPS)('F121 that always fail by %s are ACCESS_DENIED at the end of the call', async (_, hiccup) => {
        let asked = 0;
        const credentials = async () => {
          asked++;
          throw hiccup();
        };
        const before = requests();

        expect(await failure({ ...plainAt(ports), credentials })).toMatchObject({
          code: 'ACCESS_DENIED',
          retryable: false,
        });
        expect(asked).toBeGreaterThan(1);
        expect(requests()).toBe(before);
      });

      test.each<[string, unknown]>([
        ['undefined', undefined],
        ['an empty object', {}],
      ])('F121 that are %s are ACCESS_DENIED', async (_, value) => {
        const credentials = (async () => value) as never;
        expect(await failure({ ...plainAt(ports), credentials })).toMatchObject({ code: 'ACCESS_DENIED' });
      });

      test('F121 that never come are ACCESS_DENIED, and nothing is sent when they come late', async () => {
        let come = (_: typeof CREDENTIALS) => {};
        const credentials = () =>
          new Promise<typeof CREDENTIALS>((resolve) => {
            come = resolve;
          });
        const before = requests();

        expect(await failure({ ...plainAt(ports), credentials }, brief())).toMatchObject({ code: 'ACCESS_DENIED' });
        come(CREDENTIALS);
        await new Promise((resolve) => setTimeout(resolve, 50));
        expect(requests()).toBe(before);
      });

      test('F121 a release survives a hiccup', async () => {
        let asked = 0;
        const expiration = new Date(Date.now() + 1_000);
        const credentials = async () => {
          if (asked++ === 1) throw new Error('hiccup');
          // Close to their end, so that each request asks for new ones.
          return { ...CREDENTIALS, expiration };
        };
        const store = storeOf({ ...plainAt(ports), credentials });
        const granted = await store.acquire(claim(), long());
        if (granted.status !== 'acquired') return expect.unreachable();

        expect(await store.release(granted.lease, done, long())).toBe('released');
        expect(asked).toBeGreaterThan(2);
      });
    });
  });
}

/** A call of five seconds, which last a twentieth of that. */
const brief = () => storeCall(hurriedClock(20));
/** A call that does not end before its answer. */
const long = () => ({ ...storeCall(hurriedClock(120)), tryMs: 3_600_000, budgetMs: 3_600_000 });
