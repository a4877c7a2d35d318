import { databaseAt, sent } from '../databases.js';
import { type Deliver, host } from './host.js';

await host(async ({ url }) => {
  const { advisory } = await databaseAt(url);
  const deliver: Deliver = async (name, _tickMs, task) => ((await advisory?.(name, task)) ? 'ran' : 'skipped');
  return Object.assign(deliver, { sent });
});
