import type { TestProject } from 'vitest/node';
import { startDynamoDBLocal } from './dynamodb-local-process.js';
import { providePrograms } from './provided-programs.js';

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDBLocalEndpoint: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await providePrograms('java', 'redis-server', 'postgres', 'pgbouncer');
  const { endpoint, stop } = await startDynamoDBLocal();
  project.provide('dynamoDBLocalEndpoint', endpoint);
  return stop;
}
