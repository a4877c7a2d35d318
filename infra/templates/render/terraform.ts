import type { Deployment, Role, Statement } from '../deployment.js';
import { buildCommand } from './build-command.js';
import { attribute, block, comment, type Hcl, hclText } from './hcl.js';
import { alarmBlock } from './terraform-alarm.js';
import { interpolated, list, NAME, text } from './terraform-expression.js';

const HEAD = `# A nightly job under a lock: the lock table, the function with the rights of its own lock, its schedule with retries,
# dead letters, a log and alarms. The same as single-execution's CDK construct makes of it.
`;

/** The module of Terraform and OpenTofu. */
export function terraformModule(deployment: Deployment): string {
  const { role, schedulerRole } = deployment;
  return (
    HEAD +
    hclText([
      settings(deployment),
      block('data "aws_caller_identity" "send_digest"'),
      block('data "aws_partition" "send_digest"'),
      block('data "aws_region" "send_digest"'),
      table(deployment),
      lambda(deployment),
      log(deployment),
      runRetries(deployment),
      ...roleBlocks('send_digest', `"\${${NAME}}-run"`, role),
      block('resource "aws_scheduler_schedule_group" "send_digest"', attribute('name', NAME)),
      schedule(deployment),
      ...roleBlocks('send_digest_schedule', `"\${${NAME}}-schedule"`, schedulerRole),
      ...queue(deployment),
      block(
        'resource "aws_sns_topic" "alarms"',
        comment('Subscribe to it: until then no alarm reaches anybody.'),
        attribute('name', `"\${${NAME}}-alarms"`),
      ),
      ...deployment.alarms.map((alarm) => alarmBlock(alarm, deployment)),
    ]).replaceAll(' {\n}', ' {}')
  );
}

function settings({ job }: Deployment): Hcl {
  return block(
    'locals',
    block(
      'send_digest =',
      comment('The lock, as the handler gives it to withSingleExecution.'),
      attribute('name', text(job.name)),
      comment('The retries and the NotTriggered alarm below are for one tick a day: change them with it.'),
      attribute('schedule', text(job.schedule)),
      attribute('time_zone', text(job.timeZone)),
      comment('DidNotRun goes off after a run and its retries: change its periods with it.'),
      attribute('timeout_seconds', job.timeoutSeconds),
      comment('The bundled handler:'),
      ...buildCommand(job.name, '&& (cd dist && zip send-digest.zip send-digest.js send-digest.js.map)').map(comment),
      attribute('zip', '"${path.module}/dist/send-digest.zip"'),
    ),
  );
}

function table({
  table: { partitionKey, onDemand, pointInTimeRecovery, deletionProtection, retained },
}: Deployment): Hcl {
  return block(
    'resource "aws_dynamodb_table" "locks"',
    comment('No ttl: an expired lock is still the memory of its ticks.'),
    attribute('name', `"\${${NAME}}-locks"`),
    attribute('billing_mode', onDemand ? '"PAY_PER_REQUEST"' : '"PROVISIONED"'),
    attribute('hash_key', text(partitionKey)),
    attribute('deletion_protection_enabled', deletionProtection),
    block('attribute', attribute('name', text(partitionKey)), attribute('type', '"S"')),
    block('point_in_time_recovery', attribute('enabled', pointInTimeRecovery)),
    block('lifecycle', attribute('prevent_destroy', retained)),
  );
}

function lambda({ fn }: Deployment): Hcl {
  const variables = Object.entries(fn.environment).map(([name, value]) => attribute(name, text(value)));
  return block(
    'resource "aws_lambda_function" "send_digest"',
    attribute('function_name', NAME),
    attribute('role', 'aws_iam_role.send_digest.arn'),
    attribute('runtime', text(fn.runtime)),
    attribute('architectures', list([fn.architecture])),
    attribute('handler', '"send-digest.handler"'),
    attribute('memory_size', fn.memoryMb),
    attribute('timeout', 'local.send_digest.timeout_seconds'),
    attribute('filename', 'local.send_digest.zip'),
    attribute('source_code_hash', 'filebase64sha256(local.send_digest.zip)'),
    attribute('depends_on', '[aws_iam_role_policy.send_digest]'),
    block(
      'logging_config',
      attribute('log_format', '"Text"'),
      attribute('log_group', 'aws_cloudwatch_log_group.send_digest.name'),
    ),
    block('environment', block('variables =', ...variables)),
  );
}

function log({ logRetentionDays }: Deployment): Hcl {
  return block(
    'resource "aws_cloudwatch_log_group" "send_digest"',
    attribute('name', `"/aws/lambda/\${${NAME}}"`),
    attribute('retention_in_days', logRetentionDays),
  );
}

function runRetries({ runRetries: { attempts, maxAgeSeconds, deadLetters } }: Deployment): Hcl {
  return block(
    'resource "aws_lambda_function_event_invoke_config" "send_digest"',
    comment("Lambda's retries of a run that failed: all are over before the next tick, a day later."),
    attribute('function_name', 'aws_lambda_function.send_digest.function_name'),
    attribute('maximum_retry_attempts', attempts),
    attribute('maximum_event_age_in_seconds', maxAgeSeconds),
    block('destination_config', block('on_failure', attribute('destination', text(deadLetters)))),
  );
}

function schedule({ schedule: { group, state, window, target, input, delivery } }: Deployment): Hcl {
  return block(
    'resource "aws_scheduler_schedule" "send_digest"',
    attribute('name', NAME),
    attribute('group_name', text(group)),
    attribute('schedule_expression', 'local.send_digest.schedule'),
    attribute('schedule_expression_timezone', 'local.send_digest.time_zone'),
    attribute('state', text(state)),
    attribute('depends_on', '[aws_iam_role_policy.send_digest_schedule]'),
    block('flexible_time_window', attribute('mode', text(window))),
    block(
      'target',
      attribute('arn', text(target)),
      attribute('role_arn', 'aws_iam_role.send_digest_schedule.arn'),
      comment('Its time is the scheduled time, the same for each delivery of a tick. A text, because jsonencode would'),
      comment('escape the angle brackets, which Scheduler looks for.'),
      attribute('input', `<<-JSON\n${indented(interpolated(input), 4)}\n  JSON`),
      block(
        'retry_policy',
        comment('Retries of a delivery that Lambda did not accept: until the next tick, a day later.'),
        attribute('maximum_retry_attempts', delivery.attempts),
        attribute('maximum_event_age_in_seconds', delivery.maxAgeSeconds),
      ),
      block('dead_letter_config', attribute('arn', text(delivery.deadLetters))),
    ),
  );
}

function queue({ queue: { retentionSeconds, encryptedBySqs, policy } }: Deployment): Hcl[] {
  return [
    block(
      'resource "aws_sqs_queue" "dead_letters"',
      attribute('name', `"\${${NAME}}-dead-letters"`),
      attribute('message_retention_seconds', `${retentionSeconds} # ${retentionSeconds / 86_400} days`),
      attribute('sqs_managed_sse_enabled', encryptedBySqs),
    ),
    document('dead_letters', policy),
    block(
      'resource "aws_sqs_queue_policy" "dead_letters"',
      attribute('queue_url', text('{{queue.url}}')),
      attribute('policy', 'data.aws_iam_policy_document.dead_letters.json'),
    ),
  ];
}

function roleBlocks(id: string, name: string, { trust, statements }: Role): Hcl[] {
  return [
    document(`${id}_trust`, trust),
    block(
      `resource "aws_iam_role" "${id}"`,
      attribute('name', name),
      attribute('assume_role_policy', `data.aws_iam_policy_document.${id}_trust.json`),
    ),
    document(id, statements),
    block(
      `resource "aws_iam_role_policy" "${id}"`,
      attribute('role', `aws_iam_role.${id}.id`),
      attribute('policy', `data.aws_iam_policy_document.${id}.json`),
    ),
  ];
}

function document(id: string, statements: readonly Statement[]): Hcl {
  return block(`data "aws_iam_policy_document" "${id}"`, ...statements.map(statement));
}

function statement({ effect, actions, resources, principals, conditions }: Statement): Hcl {
  return block(
    'statement',
    ...(effect === 'Allow' ? [] : [attribute('effect', text(effect))]),
    attribute('actions', list(actions)),
    ...(resources.length > 0 ? [attribute('resources', list(resources))] : []),
    ...principals.map((principal) => {
      const colon = principal.indexOf(':');
      return block(
        'principals',
        attribute('type', text(principal.slice(0, colon))),
        attribute('identifiers', list([principal.slice(colon + 1)])),
      );
    }),
    ...Object.entries(conditions).flatMap(([test, keys]) =>
      Object.entries(keys).map(([variable, values]) =>
        block(
          'condition',
          attribute('test', text(test)),
          attribute('variable', text(variable)),
          attribute('values', list(values)),
        ),
      ),
    ),
  );
}

const indented = (value: string, columns: number): string => value.replace(/^/gm, ' '.repeat(columns));
