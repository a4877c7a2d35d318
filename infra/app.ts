import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { acknowledgeFindings } from './acknowledged-findings.js';
import { readContext } from './app-context.js';
import { SingleExecutionStack } from './single-execution-stack.js';

/*
 * Each stage is a stack of its own. No two stages have the name of a resource in common, so stages can share an
 * account.
 */

const app = new App();
const { stage, region = process.env['CDK_DEFAULT_REGION'], alarmEmail, ...rest } = readContext(app.node);
const account = process.env['CDK_DEFAULT_ACCOUNT'];
const stack = new SingleExecutionStack(app, `single-execution-${stage}`, {
  ...rest,
  ...(alarmEmail !== undefined && { alarmEmail }),
  env: { ...(account !== undefined && { account }), ...(region !== undefined && { region }) },
  tags: { stage },
});
acknowledgeFindings(stack);
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
