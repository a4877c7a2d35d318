import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { App, type Environment, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { inject } from 'vitest';

/** A stack in an app of its own. Its functions are not bundled. */
export function appStack({ env, context = {} }: { env?: Environment; context?: object } = {}): Stack {
  const app = new App({
    outdir: mkdtempSync(join(inject('runFolder'), 'app-')),
    context: { 'aws:cdk:bundling-stacks': [], ...context },
    // Turn off this validation, which takes seconds to load and only warns here. A separate test validates this
    // project's stack.
    builtinCloudFormationValidation: false,
  });
  return new Stack(app, 'Jobs', env && { env });
}

/** A stack whose account and region are known. */
export const stackIn = (region = 'eu-west-1', account = '123456789012'): Stack =>
  appStack({ env: { account, region } });

export const propertiesOf = (template: Template, type: string) =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);

/** The statements of all policies of roles in a template. */
export const statementsIn = (template: Template) =>
  propertiesOf(template, 'AWS::IAM::Policy').flatMap(({ PolicyDocument }) => PolicyDocument.Statement);

/** The warnings of a stack that match a text. */
export const warningsOf = (stack: Stack, text = '.'): string[] =>
  Annotations.fromStack(stack)
    .findWarning('*', Match.stringLikeRegexp(text))
    .map(({ entry }) => String(entry.data));

/** The synthesised template of a stack. Throws if synthesis fails. */
export function templateOf(stack: Stack): Template {
  return Template.fromStack(stack);
}
