import { Redis } from '@upstash/redis';
import { byHand, COMPARE_AND_DELETE } from './by-hand.js';
import { host } from './host.js';

await host(({ url, token, leaseMs }) => {
  const redis = new Redis({ url, token });
  return byHand({
    take: async (name, owner) => (await redis.set(name, owner, { nx: true, px: leaseMs })) === 'OK',
    give: (name, owner) => redis.eval(COMPARE_AND_DELETE, [name], [owner]),
  });
});
