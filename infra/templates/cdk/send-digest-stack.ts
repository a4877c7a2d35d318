import { Duration, Stack, TimeZone } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { LockTable, SingleExecutionFunction } from 'single-execution/cdk';

/** Add this stack to the app: `new SendDigestStack(app, 'send-digest')`. */
export class SendDigestStack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new SingleExecutionFunction(this, 'SendDigest', {
      // A path from the folder in which cdk runs.
      entry: 'send-digest.ts',
      lockTable: new LockTable(this, 'Locks'),
      lockNames: ['send-digest'],
      schedules: [{ schedule: ScheduleExpression.cron({ minute: '0', hour: '2', timeZone: TimeZone.ETC_UTC }) }],
      timeout: Duration.minutes(5),
      // Subscribe to this topic: without a subscription no alarm reaches anybody.
      alarmActions: [new SnsAction(new Topic(this, 'Alarms'))],
    });
  }
}
