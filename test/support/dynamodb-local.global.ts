import { startSharedDynamoDBLocal } from './dynamodb-local-process.js';
import { providePrograms } from './provided-programs.js';

export async function setup(): Promise<() => Promise<void>> {
  await providePrograms('java', 'redis-server', 'postgres', 'pgbouncer');
  return (await startSharedDynamoDBLocal()).stop;
}
