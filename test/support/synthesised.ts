import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { App, type Environment, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { inject } from 'vitest';

/** A stack of an app of its own, whose functions are not bundled. */
export function appStack({ env, context = {} }: { env?: Environment; context?: object } = {}): Stack {
  const app = new App({
    outdir: mkdtempSync(join(inject('runFolder'), 'app-')),
    context: { 'aws:cdk:bundling-stacks': [], ...context },
    // It only warns here, and takes seconds to load; the stack of this project is judged by it in a test of its own.
    builtinCloudFormationValidation: false,
  });
  return new Stack(app, 'Jobs', env && { env });
}

/** The properties of all resources of a type. */
export const propertiesOf = (template: Template, type: string) =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);

/** What synthesis makes of a stack; throws what synthesis refuses. */
export function templateOf(stack: Stack): Template {
  return Template.fromStack(stack);
}
