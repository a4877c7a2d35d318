import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { captureAWSv3Client, getNamespace, Segment, setDaemonAddress, setSegment } from 'aws-xray-sdk-core';
import type { Agent, Traced } from './agent.js';

/** A segment or subsegment, as it is sent to X-Ray's daemon. */
interface Sent {
  readonly id: string;
  readonly name: string;
  readonly start_time: number;
  readonly end_time: number;
  readonly aws: { readonly request_id?: string };
  readonly cause?: { readonly exceptions: readonly { readonly type: string }[] };
  readonly subsegments?: readonly Sent[];
}

const segments: Sent[] = [];
let closed = 0;
const daemon = createSocket('udp4', (message) => segments.push(JSON.parse(message.toString().split('\n')[1] ?? '')));
daemon.bind(0, '127.0.0.1', () => setDaemonAddress(`127.0.0.1:${daemon.address().port}`));

/** X-Ray in automatic mode: the client is captured once, and finds the segment of each call by itself. */
export const agent: Agent = {
  prepare: (client) => captureAWSv3Client(client as never) as never,
  within: (name, task) =>
    getNamespace().runAndReturn(async () => {
      const segment = new Segment(name);
      setSegment(segment);
      await task();
      segment.close();
      closed++;
    }),
  async sent() {
    while (segments.length < closed) await once(daemon, 'message');
    return segments.flatMap((segment) => traced(segment));
  },
};

function traced(sent: Sent, parentId?: string): readonly Traced[] {
  const { id, name, start_time, end_time: _, cause, subsegments = [], aws, ...stays } = sent;
  const { request_id: requestId, ...awsStays } = aws;
  const attributes = { ...stays, aws: awsStays, exceptions: cause?.exceptions.map(({ type }) => type) ?? [] };
  return [
    { id, parentId, startedAt: start_time, name, requestId, attributes },
    ...subsegments.flatMap((subsegment) => traced(subsegment, id)),
  ];
}
