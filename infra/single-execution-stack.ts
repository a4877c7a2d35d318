import { fileURLToPath } from 'node:url';
import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps, TimeZone } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { LockDashboard } from './constructs/lock-dashboard.js';
import { LockTable } from './constructs/lock-table.js';
import { SingleExecutionFunction } from './constructs/single-execution-function.js';

export interface SingleExecutionStackProps extends StackProps {
  /** The tenants that handlers/tenant-sync.ts serves. */
  readonly tenants: readonly string[];
  /** The API from which the tenants' contacts come. */
  readonly tenantApiUrl: string;
  /** The address that gets a mail when an alarm goes off. @default nobody */
  readonly alarmEmail?: string;
}

const handlerFile = (name: string) => fileURLToPath(new URL(`../handlers/${name}.ts`, import.meta.url));

/**
 * Deploys handlers/: a lock table, a table for the handlers' data, two functions on schedules, alarms and a dashboard.
 */
export class SingleExecutionStack extends Stack {
  readonly alarmTopic: Topic;
  readonly functions: readonly SingleExecutionFunction[];

  constructor(scope: Construct, id: string, props: SingleExecutionStackProps) {
    const { tenants, tenantApiUrl, alarmEmail, ...stackProps } = props;
    super(scope, id, stackProps);

    const lockTable = new LockTable(this, 'Locks');
    const data = new TableV2(this, 'Data', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.alarmTopic = new Topic(this, 'AlarmTopic', { enforceSSL: true });
    // `enforceSSL` makes a topic policy, which replaces the default policy. That policy lets the account's alarms
    // publish, so allow that again.
    const alarms = new ServicePrincipal('cloudwatch.amazonaws.com');
    this.alarmTopic.grantPublish(alarms.withConditions({ StringEquals: { 'aws:SourceAccount': this.account } }));
    if (alarmEmail) this.alarmTopic.addSubscription(new EmailSubscription(alarmEmail));
    const alarmActions = [new SnsAction(this.alarmTopic)];

    const nightlyReport = new SingleExecutionFunction(this, 'NightlyReport', {
      entry: handlerFile('nightly-report'),
      lockTable,
      lockNames: ['nightly-report'],
      timeout: Duration.minutes(5),
      schedules: [{ schedule: ScheduleExpression.cron({ minute: '0', hour: '2', timeZone: TimeZone.ETC_UTC }) }],
      environment: { DATA_TABLE: data.tableName },
      alarmActions,
    });
    data.grant(nightlyReport, 'dynamodb:Query', 'dynamodb:PutItem');

    const tenantSync = new SingleExecutionFunction(this, 'TenantSync', {
      entry: handlerFile('tenant-sync'),
      lockTable,
      lockNames: ['tenant-sync/*'],
      timeout: Duration.minutes(2),
      schedules: tenants.map((tenant) => ({
        schedule: ScheduleExpression.rate(Duration.minutes(15)),
        lockName: `tenant-sync/${tenant}`,
        detail: { tenant },
      })),
      // tenant-sync marks a tick as done when its run starts, so a retry would only be skipped.
      retryAttempts: 0,
      environment: { DATA_TABLE: data.tableName, TENANT_API_URL: tenantApiUrl },
      alarmActions,
    });
    data.grant(tenantSync, 'dynamodb:PutItem');

    this.functions = [nightlyReport, tenantSync];
    // Dashboards belong to the account, not to a region, so the name contains the region.
    const dashboardName = `${this.stackName}-${this.region}`;
    new LockDashboard(this, 'Dashboard', { dashboardName, functions: this.functions });
    new CfnOutput(this, 'LockTableName', { value: lockTable.table.tableName });
    new CfnOutput(this, 'AlarmTopicArn', { value: this.alarmTopic.topicArn });
  }
}
