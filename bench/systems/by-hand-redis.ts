import { Redis } from 'ioredis';
import { byHand, COMPARE_AND_DELETE } from './by-hand.js';
import { host } from './host.js';
import { IOREDIS_OPTIONS } from './redis-client.js';

await host(({ url, leaseMs }) => {
  const client = new Redis(url, IOREDIS_OPTIONS);
  client.on('error', () => undefined);
  return byHand({
    take: async (name, owner) => (await client.set(name, owner, 'PX', leaseMs, 'NX')) === 'OK',
    give: (name, owner) => client.eval(COMPARE_AND_DELETE, 1, name, owner),
  });
});
