import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stack, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { LockDashboard } from 'single-execution/cdk';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { acknowledgeFindings } from '../../infra/acknowledged-findings.js';
import { SingleExecutionStack, type SingleExecutionStackProps } from '../../infra/single-execution-stack.js';
import { digest } from './digest.js';
import { propertiesOf } from './synthesised.js';
import { resolved } from './synthesised-app.js';

const { context } = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));

const folders: string[] = [];
afterEach(() => {
  // Validation of a template may set the exit code, and the test run would then look failed.
  expect(process.exitCode).toBeUndefined();
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** The app with cdk.json's context, without bundling. Its synthesis throws if it finds a problem in the templates. */
function cdkApp(): App {
  const app = new App({ context: { ...context, 'aws:cdk:bundling-stacks': [], '@aws-cdk/core:appMode': 'inmemory' } });
  folders.push(app.outdir);
  return app;
}

function stackOf(app: App, stage = 'dev', props: Partial<SingleExecutionStackProps> = {}): SingleExecutionStack {
  const { tenants, tenantApiUrl } = context;
  return new SingleExecutionStack(app, `single-execution-${stage}`, { tenants, tenantApiUrl, ...props });
}

const arnOf = (name: string) => ({ 'Fn::GetAtt': [expect.stringMatching(`^${name}[0-9A-F]{8}$`), 'Arn'] });

describe('row 75: the stack', () => {
  let template: Template;
  beforeAll(() => {
    template = Template.fromStack(stackOf(cdkApp(), 'dev', { alarmEmail: 'ops@example.com' }));
  });

  const all = (type: string) => propertiesOf(template, type);

  test.each<[string, string, string, string | string[]]>([
    ['NightlyReport', 'ForAllValues:StringEquals', 'nightly-report', ['dynamodb:PutItem', 'dynamodb:Query']],
    ['TenantSync', 'ForAllValues:StringLike', 'tenant-sync/*', 'dynamodb:PutItem'],
  ])(
    'row 76: %s may take its locks, do what it does with the data, write its log, and no more',
    (id, like, key, onData) => {
      const policies = all('AWS::IAM::Policy').filter(({ PolicyName }) => PolicyName.startsWith(`${id}ServiceRole`));
      const condition = { [like]: { 'dynamodb:LeadingKeys': [key] }, Null: { 'dynamodb:LeadingKeys': 'false' } };

      expect(policies.map(({ PolicyDocument }) => PolicyDocument.Statement)).toEqual([
        [
          { Effect: 'Allow', Action: ['logs:CreateLogStream', 'logs:PutLogEvents'], Resource: arnOf(`${id}LogGroup`) },
          { Effect: 'Allow', Action: 'dynamodb:UpdateItem', Resource: arnOf('LocksTable'), Condition: condition },
          {
            Effect: 'Allow',
            Action: ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:SendMessage'],
            Resource: arnOf(`${id}SingleExecutionDeadLetters`),
          },
          { Effect: 'Allow', Action: onData, Resource: arnOf('Data') },
        ],
      ]);
    },
  );

  test('row 75: runs the report at two, and for each tenant the sync every quarter of an hour', () => {
    const schedules = all('AWS::Scheduler::Schedule').map(({ ScheduleExpression, Target }) => [
      ScheduleExpression,
      /"detail":(\{.*?\})/.exec(JSON.stringify(Target.Input).replaceAll('\\', ''))?.[1],
    ]);

    expect(schedules).toEqual([
      ['cron(0 2 * * ? *)', '{}'],
      ['rate(15 minutes)', '{"tenant":"acme"}'],
      ['rate(15 minutes)', '{"tenant":"globex"}'],
    ]);
  });

  test('row 79: tries a failed report again, and no failed sync, whose tick was done when it started', () => {
    const attempts = all('AWS::Lambda::EventInvokeConfig').map(({ MaximumRetryAttempts: most }) => most);

    expect(attempts).toEqual([2, 0]);
  });

  test('row 77: every alarm notifies the topic, which sends the mails', () => {
    const [topic = ''] = Object.keys(template.findResources('AWS::SNS::Topic'));
    const actions = all('AWS::CloudWatch::Alarm').map(({ AlarmActions }) => AlarmActions);

    expect(actions).toHaveLength(8 + 7);
    for (const action of actions) expect(action).toEqual([{ Ref: topic }]);
    expect(all('AWS::SNS::Subscription')).toEqual([
      { Protocol: 'email', Endpoint: 'ops@example.com', TopicArn: { Ref: topic } },
    ]);
  });

  test('row 77: lets the alarms of its account publish to the topic, whose default policy is gone, and all by TLS', () => {
    const [topic = ''] = Object.keys(template.findResources('AWS::SNS::Topic'));
    const statements = all('AWS::SNS::TopicPolicy').flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    const publish = { Action: 'sns:Publish', Resource: { Ref: topic }, Sid: expect.anything() };

    expect(statements).toEqual([
      { ...publish, Effect: 'Deny', Principal: '*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      {
        ...publish,
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
    ]);
  });

  test('row 75: outputs where the locks are, and where alarms go', () => {
    expect(template.toJSON()['Outputs']).toEqual({
      LockTableName: { Value: { Ref: expect.stringMatching(/^LocksTable/) } },
      AlarmTopicArn: { Value: { Ref: expect.stringMatching(/^AlarmTopic/) } },
    });
  });
});

test('row 75: two stages share an account: no name of one is a name of the other', () => {
  const app = cdkApp();
  const stacks = ['dev', 'prod'].map((stage) => stackOf(app, stage));
  /** Fixed names in a stack. Left out are metrics and policies: their names are unique in a namespace or in a role. */
  const namesIn = (stack: SingleExecutionStack) =>
    Object.values<{ Properties?: object }>(Template.fromStack(stack).toJSON()['Resources'])
      .flatMap(({ Properties = {} }) => Object.entries(Properties))
      .filter(
        ([key, value]) =>
          /^(?!Metric|Policy).*Name$/.test(key) && (typeof value === 'string' || key === 'DashboardName'),
      )
      .map(([, name]) => resolved(name, (id) => id));

  expect(stacks.map(namesIn)).toEqual([
    // The names of dashboards are unique in the whole account, so they contain the region.
    ['single-execution-dev-AWS::Region'],
    ['single-execution-prod-AWS::Region'],
  ]);
  expect(stacks.map(({ functions }) => functions.map((fn) => fn.metricNamespace))).toEqual([
    ['SingleExecution/single-execution-dev', 'SingleExecution/single-execution-dev'],
    ['SingleExecution/single-execution-prod', 'SingleExecution/single-execution-prod'],
  ]);
});

interface PluginReport {
  readonly pluginName: string;
  readonly violations: readonly unknown[];
  readonly suppressedViolations?: readonly { readonly acknowledgedId?: string; readonly acknowledgedAt?: string }[];
}

describe('row 75: cdk-nag', () => {
  /** Synthesises an app with both packs of checks, which find nothing that is not acknowledged. */
  function checked(make: (app: App) => void) {
    const app = cdkApp();
    make(app);
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
    app.synth();
    const report = JSON.parse(readFileSync(join(app.outdir, 'validation-report.json'), 'utf8'));
    const reports: readonly PluginReport[] = report.pluginReports;
    expect(reports.map(({ pluginName, violations }) => [pluginName, violations])).toEqual([
      ['AwsSolutions', []],
      ['Serverless', []],
    ]);
    return { app, found: reports.flatMap(({ suppressedViolations = [] }) => suppressedViolations) };
  }

  test('finds nothing that is not acknowledged, and all that is', () => {
    const { app, found } = checked((app) =>
      acknowledgeFindings(stackOf(app, 'dev', { alarmEmail: 'ops@example.com' })),
    );
    const acknowledged = app.node.findAll().flatMap((construct) =>
      construct.node.metadata
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .flatMap(({ data }) => Object.entries<string>(data))
        .map(([id, reason]) => ({ at: construct.node.path, id, reason })),
    );

    const acknowledgedAt = acknowledged.map(({ at, id }) => `${at.replace('single-execution-dev', 'stack')} ${id}`);
    expect(acknowledgedAt.sort()).toEqual([
      'stack/AlarmTopic Serverless::Serverless-SNSRedrivePolicy',
      ...['NightlyReport', 'TenantSync'].flatMap((id) => [
        `stack/${id} Serverless::Serverless-LambdaDLQ`,
        `stack/${id} Serverless::Serverless-LambdaTracing`,
        `stack/${id}/SingleExecution/DeadLetters AwsSolutions::AwsSolutions-SQS3`,
        `stack/${id}/SingleExecution/DeadLetters Serverless::Serverless-SQSRedrivePolicy`,
      ]),
    ]);
    expect(new Set(found.map(({ acknowledgedAt: at, acknowledgedId: id }) => `${at} ${id}`))).toEqual(
      new Set(acknowledged.map(({ at, id }) => `${at} ${id}`)),
    );
    for (const { id, reason } of acknowledged) expect(reason, id).toMatch(/\w+( [\w',;]+){5}/);
  });

  test('finds nothing in a fresh app as the guide has it that the constructs do not acknowledge', () => {
    const { found } = checked((app) => {
      const stack = new Stack(app, 'jobs-dev', { env: { region: 'eu-west-1' } });
      const topic = new Topic(stack, 'Alarms', { enforceSSL: true });
      topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com'));
      const fn = digest({ alarmActions: [new SnsAction(topic)] }, stack);
      new LockDashboard(stack, 'Dashboard', { functions: [fn] });
    });

    expect(found.map(({ acknowledgedId }) => acknowledgedId)).toEqual([
      'AwsSolutions::AwsSolutions-SQS3',
      'Serverless::Serverless-LambdaDLQ',
      'Serverless::Serverless-LambdaTracing',
      'Serverless::Serverless-SQSRedrivePolicy',
    ]);
  });
});
