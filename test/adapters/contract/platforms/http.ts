import { withSingleExecution } from 'single-execution/http';
import { executionLast, type Platform } from '../platform.js';

const SCHEDULED_AT = 'ce-vssscheduledat';

/** The body of the adapter's own answers, to a refusal or a skip; empty for an answer of the route's handler. */
async function bodyOf(reply: unknown): Promise<Record<string, unknown>> {
  const response = reply as Response;
  return response.headers.get('content-type')?.includes('json')
    ? (response.clone().json() as Promise<Record<string, unknown>>)
    : {};
}

export const http: Platform = {
  title: 'a route',
  lacks: {
    'untimed runs': 'anybody may call a route',
  },
  optionNames: 'name, tick, onSkipped, secret, maxDuration',
  options: { secret: false, tick: 'event' },
  limit: 'maxDuration, which is',
  holder: /^request 01J:1, process \d+ on \S+$/,
  wrap: (job, options) => withSingleExecution(executionLast(job) as () => Response, options),
  argsOf: ({ time, tenant, secret, waitUntil }) => {
    const at = typeof time === 'number' ? new Date(time).toISOString() : time;
    const headers = { 'ce-id': '01J:1', 'x-tenant': tenant, cookie: secret, authorization: secret };
    const scheduled = at === undefined ? {} : { [SCHEDULED_AT]: String(at) };
    const request = new Request(`https://example.com/?${secret}`, { headers: { ...headers, ...scheduled } });
    return [request, waitUntil ? { waitUntil } : { params: {} }];
  },
  byHand: (call) => (request: Request, context) => {
    const headers = new Headers(request.headers);
    headers.set('x-single-execution', 'now');
    return call(new Request(request, { headers }), context);
  },
  tenantOf: (request: Request) => String(request.headers.get('x-tenant')),
  timeOf: (request: Request) => Date.parse(String(request.headers.get(SCHEDULED_AT))),
  timeOfOlderTick: 'that of the call',
  results: () => [new Response('sent'), new Response(null, { status: 404 }), undefined],
  skipOf: async (reply) => {
    const { status } = reply as Response;
    return status === 200 ? bodyOf(reply) : { status };
  },
  refusalOf: async (reply) => {
    const { status, code } = await bodyOf(reply);
    return status === 'error' ? code : undefined;
  },
  wrongTime: 'TICK_OUT_OF_RANGE',
  noTime: 'TICK_MISSING',
};
