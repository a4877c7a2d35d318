import { type Fault, type SeenRequest, startFaultProxy } from '../../support/fault-proxy.js';
import type { Seen, Wire } from './wire.js';

export type HttpFault = Fault | 'stale date';

/** Reads a request; undefined for one that belongs to no verb. */
export type ReadHttp = (request: SeenRequest) => Seen | undefined;

export async function httpWire(endpoint: string, read: ReadHttp): Promise<Wire<HttpFault>> {
  let log: Seen[] = [];
  let headers: SeenRequest['headers'] = {};
  const known = new WeakMap<SeenRequest, Seen>();
  const proxy = await startFaultProxy(endpoint, (request) => {
    headers = request.headers;
    const seen = read(request);
    if (seen) {
      log.push(seen);
      known.set(request, seen);
    }
    return undefined;
  });
  return {
    url: proxy.endpoint,
    inject(fault, { on, ...strike }) {
      if (fault === 'stale date') return proxy.setDate({ shiftMs: -1_000 });
      const when = (request: SeenRequest) => {
        const seen = known.get(request);
        return seen !== undefined && on(seen);
      };
      return proxy.inject(fault, { when, ...strike });
    },
    seen: () => log,
    slowestMs: proxy.slowestMs,
    deliverLate: proxy.deliverLate,
    reset() {
      log = [];
      proxy.reset();
    },
    client: () => `${headers['user-agent']} ${headers['upstash-telemetry-sdk']}`,
    stop: proxy.stop,
  };
}
