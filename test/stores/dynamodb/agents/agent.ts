import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A span or subsegment as its agent names it, without ids, times and stacks among its attributes. */
export interface Traced {
  readonly id: string;
  /** The id of the span that contains this one, if any. */
  readonly parentId?: string | undefined;
  readonly startedAt: number;
  readonly name: string;
  readonly requestId?: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** An agent that traces SDK calls. The module that exports the agent has started it. */
export interface Agent {
  /** Prepares a client as users of the agent must do; absent if the agent finds each client by itself. */
  readonly prepare?: (client: DynamoDBClient) => DynamoDBClient;
  /** Runs a task in a new span, segment or transaction. */
  within(name: string, task: () => Promise<void>): Promise<void>;
  /** All spans that the agent has sent. */
  sent(): Promise<readonly Traced[]>;
}
