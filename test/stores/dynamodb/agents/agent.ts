import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A span or subsegment, in the words of its agent but for ids, times and stacks. */
export interface Traced {
  readonly id: string;
  /** Of the span that it is in, if any. */
  readonly parentId?: string | undefined;
  readonly startedAt: number;
  readonly name: string;
  readonly requestId?: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** An agent that traces SDK calls. The module that exports it has started it. */
export interface Agent {
  /** Prepares a client as a user of the agent does; else the agent finds each client by itself. */
  readonly prepare?: (client: DynamoDBClient) => DynamoDBClient;
  /** Runs this in a span, segment or transaction of its own. */
  within(name: string, task: () => Promise<void>): Promise<void>;
  /** All that it has sent. */
  sent(): Promise<readonly Traced[]>;
}
