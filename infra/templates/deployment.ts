/*
 * What is deployed for one job, in plain values and whatever the tool. A value of another resource, or one that is known
 * only at deployment, is a mark in the text: `{{table.arn}}`, `{{region}}`, `{{job}}`.
 */

/** What a job has on AWS. */
export interface Deployment {
  readonly job: Job;
  readonly table: Table;
  readonly fn: LambdaFunction;
  readonly logRetentionDays: number;
  /** Lambda's own retries of a run that failed. */
  readonly runRetries: Retries;
  readonly schedule: Schedule;
  readonly queue: Queue;
  /** The function's. */
  readonly role: Role;
  /** The schedule's. */
  readonly schedulerRole: Role;
  readonly alarms: readonly Alarm[];
}

/** What a user changes first. Elsewhere these values are marks: `{{job}}`, `{{schedule}}`, `{{timeZone}}`. */
export interface Job {
  readonly name: string;
  readonly schedule: string;
  readonly timeZone: string;
  readonly timeoutSeconds: number;
}

export interface Table {
  readonly partitionKey: string;
  readonly onDemand: boolean;
  readonly pointInTimeRecovery: boolean;
  readonly deletionProtection: boolean;
  readonly timeToLive: boolean;
  /** Whether the table stays when the rest is removed. */
  readonly retained: boolean;
}

export interface LambdaFunction {
  readonly runtime: string;
  readonly architecture: string;
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
}

export interface Retries {
  readonly attempts: number;
  readonly maxAgeSeconds: number;
  /** Where a tick goes that is given up. */
  readonly deadLetters: string;
}

export interface Schedule {
  /** A group of its own, which has metrics of its own. */
  readonly group: string;
  readonly state: string;
  readonly window: string;
  readonly target: string;
  /** The event, a JSON text. */
  readonly input: string;
  readonly delivery: Retries;
}

export interface Queue {
  readonly retentionSeconds: number;
  readonly encryptedBySqs: boolean;
  readonly policy: readonly Statement[];
}

export interface Role {
  readonly trust: readonly Statement[];
  readonly statements: readonly Statement[];
}

export interface Statement {
  readonly effect: string;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** `AWS:*` or `Service:lambda.amazonaws.com`, where a policy of a resource names them. */
  readonly principals: readonly string[];
  readonly conditions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

export interface Alarm {
  /** Such as `DidNotRun`. */
  readonly name: string;
  readonly description: string;
  readonly comparison: string;
  readonly threshold: number;
  readonly periods: number;
  readonly datapoints: number;
  readonly missingData: string;
  readonly actions: readonly string[];
  readonly okActions: readonly string[];
  /** One metric, or several parts of an expression. */
  readonly metrics: readonly Metric[];
}

export interface Metric {
  /** What an expression calls it; `''` for the metric of an alarm without one. */
  readonly id: string;
  readonly returned: boolean;
  readonly label: string | undefined;
  readonly periodSeconds: number | undefined;
  readonly expression: string | undefined;
  readonly source: MetricSource | undefined;
}

export interface MetricSource {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly statistic: string;
}
