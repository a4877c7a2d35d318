/** The name of the job, as an expression. */
export const NAME = 'local.send_digest.name';

/** What the marks of a deployment are called here. */
const REFERENCES: Readonly<Record<string, string>> = {
  job: NAME,
  schedule: 'local.send_digest.schedule',
  timeZone: 'local.send_digest.time_zone',
  account: 'data.aws_caller_identity.send_digest.account_id',
  region: 'data.aws_region.send_digest.id',
  partition: 'data.aws_partition.send_digest.partition',
  'table.name': 'aws_dynamodb_table.locks.name',
  'table.arn': 'aws_dynamodb_table.locks.arn',
  'function.name': 'aws_lambda_function.send_digest.function_name',
  'function.arn': 'aws_lambda_function.send_digest.arn',
  'queue.url': 'aws_sqs_queue.dead_letters.url',
  'queue.arn': 'aws_sqs_queue.dead_letters.arn',
  'queue.name': 'aws_sqs_queue.dead_letters.name',
  'group.name': 'aws_scheduler_schedule_group.send_digest.name',
  'topic.arn': 'aws_sns_topic.alarms.arn',
};

/** What is a part of a text. */
const TEXTS: Readonly<Record<string, string>> = {
  namespace: `SingleExecution/\${${NAME}}`,
  // CloudFormation's ARN of a log group ends so.
  'log.arn': '${aws_cloudwatch_log_group.send_digest.arn}:*',
};

export const list = (values: readonly string[]): string => `[${values.map(text).join(', ')}]`;

/** A text with marks as an expression. */
export function text(value: string): string {
  const [, only = ''] = /^\{\{([\w.]+)\}\}$/.exec(value) ?? [];
  return REFERENCES[only] ?? JSON.stringify(value).replace(/^.*$/, interpolated);
}

/** The same inside of quotes or a heredoc. */
export function interpolated(value: string): string {
  return value.replaceAll('${', '$${').replace(/\{\{([\w.]+)\}\}/g, (mark, name: string) => {
    const inside = TEXTS[name] ?? (REFERENCES[name] && `\${${REFERENCES[name]}}`);
    if (inside === undefined) throw new Error(`no name for ${mark}`);
    return inside;
  });
}
