import fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import newrelic from 'newrelic';
import type { Agent } from './agent.js';

/** A span in New Relic's payload: the attributes from the agent, from the user, and from the traced call. */
type Span = readonly [
  intrinsic: { readonly guid: string; readonly parentId?: string; readonly timestamp: number; readonly name: string },
  custom: object,
  attributes: Readonly<Record<string, unknown>>,
];

const spans: Span[] = [];
/** Catches the payloads that New Relic's agent writes on Lambda for its extension. */
fs.writeSync = ((_: number, line: string) => {
  const payload = JSON.parse(gunzipSync(Buffer.from(JSON.parse(line)[2], 'base64')).toString());
  return spans.push(...payload.data.span_event_data[2]);
}) as never;

export const agent: Agent = {
  within: (functionName, task) => newrelic.setLambdaHandler(task)({}, { functionName, invokedFunctionArn: 'arn' }),
  async sent() {
    // The agent writes after the handler's result has been read.
    await setImmediate();
    return spans.map(([{ guid, parentId, timestamp, name }, , attributes]) => {
      const { 'aws.requestId': requestId, nr_exclusive_duration_millis: _, ...stays } = attributes;
      return {
        id: guid,
        parentId,
        startedAt: timestamp,
        name: name.replace('OtherTransaction/Function/', ''),
        requestId: requestId as string | undefined,
        attributes: stays,
      };
    });
  },
};
