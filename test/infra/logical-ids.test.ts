import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SingleExecutionStack } from '../../infra/single-execution-stack.js';
import { appStack, templateOf } from './synthesised.js';

/*
 * CloudFormation identifies a resource by its logical id alone. If an id in this list changes, the next deployment of
 * an existing stack creates a new resource and removes the old one. A new lock table is empty and has forgotten all
 * ticks; the old table stays, retained and unused. A queue is deleted with its dead letters, and a log group with its
 * log. A schedule counts its rate anew. A resource with a fixed name cannot be created while the old one exists. A
 * change of this list therefore needs a line in the changelog that says what is replaced, and what to do before.
 */
const RESOURCES = `
AWS::CloudWatch::Alarm: NightlyReportSingleExecutionAlarmsClockSkew2EF5252A
AWS::CloudWatch::Alarm: NightlyReportSingleExecutionAlarmsDeadLettersCD78EF09
AWS::CloudWatch::Alarm: NightlyReportSingleExecutionAlarmsDeadLettersLost5CB77004
AWS::CloudWatch::Alarm: NightlyReportSingleExecutionAlarmsDidNotRunnightlyreport130AAAFC
AWS::CloudWatch::Alarm: NightlyReportSingleExecutionAlarmsFailedA95231C5
AWS::CloudWatch::Alarm: NightlyReportSingleExecutionAlarmsLockLost10824DED
AWS::CloudWatch::Alarm: NightlyReportSingleExecutionAlarmsLongRunAAC00D77
AWS::CloudWatch::Alarm: NightlyReportSingleExecutionAlarmsNotTriggerednightlyreport5E12A329
AWS::CloudWatch::Alarm: TenantSyncSingleExecutionAlarmsClockSkew348A7DD4
AWS::CloudWatch::Alarm: TenantSyncSingleExecutionAlarmsDeadLettersA519C5E2
AWS::CloudWatch::Alarm: TenantSyncSingleExecutionAlarmsDeadLettersLost1CA37BD3
AWS::CloudWatch::Alarm: TenantSyncSingleExecutionAlarmsDidNotRuntenantsync2F43F43E92
AWS::CloudWatch::Alarm: TenantSyncSingleExecutionAlarmsLockLostF2AE4410
AWS::CloudWatch::Alarm: TenantSyncSingleExecutionAlarmsLongRunB433E17C
AWS::CloudWatch::Alarm: TenantSyncSingleExecutionAlarmsNotTriggeredtenantsync2FEA280B16
AWS::CloudWatch::Dashboard: Dashboard7A714131
AWS::DynamoDB::GlobalTable: Data666C94C7
AWS::DynamoDB::GlobalTable: LocksTable84FB9352
AWS::IAM::Policy: NightlyReportServiceRoleDefaultPolicy3112B6C0
AWS::IAM::Policy: NightlyReportSingleExecutionSchedulerRoleDefaultPolicy01F2BD71
AWS::IAM::Policy: TenantSyncServiceRoleDefaultPolicy16189BD7
AWS::IAM::Policy: TenantSyncSingleExecutionSchedulerRoleDefaultPolicy8F7D0E0F
AWS::IAM::Role: NightlyReportServiceRole8F012654
AWS::IAM::Role: NightlyReportSingleExecutionSchedulerRole071E816A
AWS::IAM::Role: TenantSyncServiceRole2CBA3651
AWS::IAM::Role: TenantSyncSingleExecutionSchedulerRoleF252843E
AWS::Lambda::EventInvokeConfig: NightlyReportEventInvokeConfig82827CA5
AWS::Lambda::EventInvokeConfig: TenantSyncEventInvokeConfig1E2355EA
AWS::Lambda::Function: NightlyReportFE59B3CD
AWS::Lambda::Function: TenantSync49203832
AWS::Logs::LogGroup: NightlyReportLogGroup2D83C263
AWS::Logs::LogGroup: TenantSyncLogGroup7CB335EB
AWS::SNS::Subscription: AlarmTopicopsexamplecom7B0F70A1
AWS::SNS::Topic: AlarmTopicD01E77F9
AWS::SNS::TopicPolicy: AlarmTopicPolicy309DB5F8
AWS::SQS::Queue: NightlyReportSingleExecutionDeadLetters2C60F843
AWS::SQS::Queue: TenantSyncSingleExecutionDeadLettersBF320E86
AWS::SQS::QueuePolicy: NightlyReportSingleExecutionDeadLettersPolicy2F947EBA
AWS::SQS::QueuePolicy: TenantSyncSingleExecutionDeadLettersPolicyE6254647
AWS::Scheduler::Schedule: NightlyReportSingleExecutionSchedulesnightlyreportSchedulenightlyreport16BB9606
AWS::Scheduler::Schedule: TenantSyncSingleExecutionSchedulestenantsync2FScheduletenantsync2FacmeB44A63AB
AWS::Scheduler::Schedule: TenantSyncSingleExecutionSchedulestenantsync2FScheduletenantsync2Fglobex3912C437
AWS::Scheduler::ScheduleGroup: NightlyReportSingleExecutionSchedulesnightlyreport3F6E3262
AWS::Scheduler::ScheduleGroup: TenantSyncSingleExecutionSchedulestenantsync2FFB899D16
`;

test('the resources of the default stack keep their logical ids', () => {
  const { context } = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));
  const { tenants, tenantApiUrl } = context;
  const { node } = appStack({ context });
  const stack = new SingleExecutionStack(node.root, 'single-execution-dev', {
    tenants,
    tenantApiUrl,
    alarmEmail: 'ops@example.com',
  });
  const resources = Object.entries<{ Type: string }>(templateOf(stack).toJSON()['Resources']);

  expect(
    resources
      .map(([id, { Type }]) => `${Type}: ${id}`)
      .sort()
      .join('\n'),
  ).toBe(RESOURCES.trim());
});
