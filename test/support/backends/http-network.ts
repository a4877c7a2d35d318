import { type Fault, type SeenRequest, startFaultProxy } from '../fault-proxy.js';
import { type ChooseFault, LATE_MS, type Network } from './backend.js';

const DELAY_MS = 400;

/** What can happen to any request over HTTP. */
export const HTTP_FAULTS: Readonly<Record<string, Fault>> = {
  'reset before': { kind: 'reset', at: 'before' },
  'reset after': { kind: 'reset', at: 'after' },
  'hang before': { kind: 'hang', at: 'before' },
  'hang after': { kind: 'hang', at: 'after' },
  delay: { kind: 'delay', ms: DELAY_MS },
  duplicate: { kind: 'duplicate' },
  late: { kind: 'late' },
};

/** Puts a network before an HTTP server. @param isRenewal whether a request with this body moves the end of a lease */
export async function httpNetwork(
  upstream: string,
  choose: ChooseFault,
  faults: Readonly<Record<string, Fault>>,
  isRenewal: (body: SeenRequest['body']) => boolean,
): Promise<Network> {
  const proxy = await startFaultProxy(upstream, ({ body }) => faults[choose(isRenewal(body)) ?? '']);
  const late = setInterval(() => void proxy.deliverLate().catch(() => undefined), LATE_MS);
  const stop = () => {
    clearInterval(late);
    return proxy.stop();
  };
  return { url: proxy.endpoint, stop };
}
