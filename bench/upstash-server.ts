/**
 * A Redis behind Upstash's REST API, in a process of its own. It sends its address to its parent, and ends when the
 * parent does.
 */
import { startRedisServer } from '../test/support/redis-server.js';
import { startUpstashBridge } from '../test/support/upstash-bridge.js';

const server = await startRedisServer();
const bridge = await startUpstashBridge({ redisPort: server.port });

process.on('disconnect', () => process.exit());
process.send?.({ url: bridge.url, token: bridge.token });
