import type { TestProject } from 'vitest/node';
import { startDynamoDBLocal } from './dynamodb-local-process.js';

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDBLocalEndpoint: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { endpoint, stop } = await startDynamoDBLocal();
  project.provide('dynamoDBLocalEndpoint', endpoint);
  return stop;
}
