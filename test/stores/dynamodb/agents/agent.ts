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
  within(name: string, task: () => Promise<void>): Promise<void>;
  sent(): Promise<readonly Traced[]>;
}
