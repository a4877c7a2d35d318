import { startSharedDynamoDBLocal } from '../support/dynamodb-local-process.js';
import { providePrograms } from '../support/provided-programs.js';

export async function setup(): Promise<() => Promise<void>> {
  await providePrograms('java', 'redis-server', 'postgres', 'pgbouncer', 'mariadb');
  return (await startSharedDynamoDBLocal()).stop;
}
