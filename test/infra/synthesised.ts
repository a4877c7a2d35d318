import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { App, type Environment, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
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

export const propertiesOf = (template: Template, type: string) =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);

/** The synthesised template of a stack. Throws if synthesis fails. */
export function templateOf(stack: Stack): Template {
  return Template.fromStack(stack);
}
