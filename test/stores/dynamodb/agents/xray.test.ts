import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { captureAWSv3Client, enableManualMode, Segment, setDaemonAddress } from 'aws-xray-sdk-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { dynamoDBLocal, freshTable } from '../../../support/dynamodb-local.js';
import { requestsOf } from './sends.js';

interface Traced {
  readonly name: string;
  readonly subsegments?: readonly Readonly<Record<string, unknown>>[];
}

/** The segments sent to X-Ray's daemon, for which a socket of this test stands. */
const sent: Traced[] = [];
const daemon = createSocket('udp4', (message) => {
  sent.push(JSON.parse(message.toString().split('\n')[1] ?? ''));
});

beforeAll(async () => {
  daemon.bind(0, '127.0.0.1');
  await once(daemon, 'listening');
  setDaemonAddress(`127.0.0.1:${(daemon.address() as AddressInfo).port}`);
  enableManualMode();
});
afterAll(() => daemon.close());

test('each request of X-Ray in manual mode has its own subsegments, those of a lock as those of a bare command', async () => {
  const tableName = await freshTable(dynamoDBLocal().client);
  const client = new DynamoDBClient({ endpoint: dynamoDBLocal().endpoint, maxAttempts: 1 });
  onTestFinished(() => client.destroy());
  const sendOne = requestsOf(client, tableName);
  const requests = Array.from({ length: 20 }, (_, i) => `request ${i}`);

  for (const name of requests) {
    const segment = new Segment(name);
    captureAWSv3Client(client as never, segment);
    await sendOne(name);
    segment.close();
  }
  await expect.poll(() => sent.length).toBe(requests.length);

  expect(sent.map(({ name }) => name)).toEqual(requests);
  for (const { subsegments = [] } of sent) {
    const [applied, granted, refused, skipped] = subsegments.map(shape);
    expect(subsegments).toHaveLength(4);
    expect(granted).toEqual(applied);
    expect(skipped).toEqual(refused);
    expect(skipped).toMatchObject({ name: 'DynamoDB', error: true, aws: { operation: 'UpdateItem' } });
  }
});

/** A subsegment without the values that differ between requests. */
function shape({ id: _, start_time: __, end_time: ___, cause, aws, ...rest }: Readonly<Record<string, unknown>>) {
  const { request_id, ...stays } = aws as Readonly<Record<string, unknown>>;
  return { ...rest, aws: { ...stays, request_id: typeof request_id }, hasCause: cause !== undefined };
}
