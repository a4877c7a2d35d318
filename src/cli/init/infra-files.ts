import { camelCase, type Files } from './job-files.js';
import type { Project } from './project.js';

/** A table, the function, its rights and its schedule, every night at 02:00 UTC, in one file. */
export function infraFiles(name: string, { infra, isTypeScript }: Pick<Project, 'infra' | 'isTypeScript'>): Files {
  const entry = `${name}.${isTypeScript ? 'ts' : 'mjs'}`;
  switch (infra) {
    case 'cdk':
      return { [`${name}-stack.ts`]: cdk(name, entry) };
    case 'sam':
      return { [`${name}.template.yaml`]: sam(name, entry) };
    default:
      return { [`${name}.tf`]: terraform(name) };
  }
}

/** `send-digest` as `SendDigest`. */
function pascalCase(name: string): string {
  const camel = camelCase(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}

function cdk(name: string, entry: string): string {
  const id = pascalCase(name);
  return `import { Duration, Stack, TimeZone } from 'aws-cdk-lib';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import { LockTable, SingleExecutionFunction } from 'single-execution/cdk';

export class ${id}Stack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new SingleExecutionFunction(this, '${id}', {
      // From the folder in which cdk runs.
      entry: '${entry}',
      lockTable: new LockTable(this, 'Locks'),
      lockNames: ['${name}'],
      schedules: [{ schedule: ScheduleExpression.cron({ minute: '0', hour: '2', timeZone: TimeZone.ETC_UTC }) }],
      timeout: Duration.minutes(5),
    });
  }
}
`;
}

/** What Scheduler sends: its scheduled time, which is the same for each delivery of a tick. */
const INPUT = '{"source":"aws.scheduler","time":"<aws.scheduler.scheduled-time>"}';

function sam(name: string, entry: string): string {
  const id = pascalCase(name);
  return `AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31

Resources:
  Locks:
    Type: AWS::DynamoDB::Table
    DeletionPolicy: Retain
    UpdateReplacePolicy: Retain
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{ AttributeName: lockName, AttributeType: S }]
      KeySchema: [{ AttributeName: lockName, KeyType: HASH }]
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true }
      # No TimeToLiveSpecification: a lock is the memory of its ticks.

  ${id}:
    Type: AWS::Serverless::Function
    Metadata:
      BuildMethod: esbuild
      BuildProperties: { Target: node22, Format: esm, OutExtension: [.js=.mjs], EntryPoints: [${entry}] }
    Properties:
      CodeUri: .
      Handler: ${name}.handler
      Runtime: nodejs24.x
      Timeout: 300
      Environment: { Variables: { LOCK_TABLE: !Ref Locks } }
      Policies:
        - Statement:
            - Effect: Allow
              Action: dynamodb:UpdateItem
              Resource: !GetAtt Locks.Arn
              Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [${name}] }, 'Null': { 'dynamodb:LeadingKeys': 'false' } }
      Events:
        Nightly:
          Type: ScheduleV2
          Properties:
            ScheduleExpression: cron(0 2 * * ? *)
            ScheduleExpressionTimezone: UTC
            Input: '${INPUT}'
`;
}

function terraform(name: string): string {
  const id = name.replaceAll('-', '_');
  return terraformTable() + terraformRole(name, id) + terraformFunction(name, id);
}

function terraformTable(): string {
  return `resource "aws_dynamodb_table" "locks" {
  name                        = "locks"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "lockName"
  deletion_protection_enabled = true

  attribute {
    name = "lockName"
    type = "S"
  }
  point_in_time_recovery {
    enabled = true
  }
  # No ttl: a lock is the memory of its ticks.
}

`;
}

/** The role of both the function and its schedule. */
function terraformRole(name: string, id: string): string {
  return `data "aws_iam_policy_document" "${id}_assume" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com", "scheduler.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "${id}" {
  name               = "${name}"
  assume_role_policy = data.aws_iam_policy_document.${id}_assume.json
}

resource "aws_iam_role_policy_attachment" "${id}_log" {
  role       = aws_iam_role.${id}.name
  policy_arn = "arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
}

data "aws_iam_policy_document" "${id}" {
  statement {
    actions   = ["dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.locks.arn]
    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["${name}"]
    }
    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }
  statement {
    actions   = ["lambda:InvokeFunction"]
    resources = [aws_lambda_function.${id}.arn]
  }
}

resource "aws_iam_role_policy" "${id}" {
  role   = aws_iam_role.${id}.id
  policy = data.aws_iam_policy_document.${id}.json
}

`;
}

function terraformFunction(name: string, id: string): string {
  return `resource "aws_lambda_function" "${id}" {
  function_name = "${name}"
  role          = aws_iam_role.${id}.arn
  runtime       = "nodejs24.x"
  handler       = "${name}.handler"
  timeout       = 300
  # A zip of the bundled handler: npx esbuild --bundle --platform=node --format=esm --outfile=${name}.mjs
  filename = "${name}.zip"

  environment {
    variables = { LOCK_TABLE = aws_dynamodb_table.locks.name }
  }
}

resource "aws_scheduler_schedule" "${id}" {
  name                = "${name}"
  schedule_expression = "cron(0 2 * * ? *)"

  flexible_time_window {
    mode = "OFF"
  }
  target {
    arn      = aws_lambda_function.${id}.arn
    role_arn = aws_iam_role.${id}.arn
    input    = ${JSON.stringify(INPUT)}
  }
}
`;
}
