import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parse, type ScalarTag } from 'yaml';
import { CACHE } from '../../support/made-once.js';
import { type Deployment, readTemplate } from './deployment.js';
import type { Resources } from './resources.js';

/*
 * Reads templates of SAM with SAM's own translator, a Python package: it turns a function with given roles into a
 * function, its retry configuration and its schedules. If it is missing, pip installs it into a cache of this checkout.
 */

const PYTHON = 'python3';
const TRANSLATE = `
import json, sys
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
json.dump(Translator({}, Parser()).translate(json.load(sys.stdin), {}), sys.stdout)
`;
const PACKAGE = 'aws-sam-translator==1.110.0';
const FOLDER = join(CACHE, 'sam-translator');
const env = { ...process.env, PYTHONPATH: FOLDER, AWS_DEFAULT_REGION: 'eu-central-1' };

interface SamTemplate {
  readonly Parameters: Readonly<Record<string, { readonly Default: unknown }>>;
  readonly Resources: Resources;
}

const tag = (name: string, key: string): ScalarTag => ({ tag: name, resolve: (text) => ({ [key]: text }) });

/** CloudFormation reads YAML 1.1, with short forms of its functions. */
export function parseCloudFormation(text: string): SamTemplate {
  return parse(text, {
    version: '1.1',
    customTags: [tag('!Ref', 'Ref'), tag('!GetAtt', 'Fn::GetAtt'), tag('!Sub', 'Fn::Sub')],
  });
}

/** Reads the output of SAM for a template that deploys one job. @throws Error if SAM refuses the template */
export function readSam(text: string): Deployment {
  const { Parameters, Resources } = translated(packaged(parseCloudFormation(text)));
  return readTemplate({
    jobName: String(Parameters['JobName']?.Default),
    resources: withoutTag(Resources),
    parameters: Object.fromEntries(Object.entries(Parameters).map(([name, { Default }]) => [name, Default])),
    alarmName: (id) => id.replace(/Alarm$/, ''),
  });
}

function translated(template: SamTemplate): SamTemplate {
  if (spawnSync(PYTHON, ['-c', 'import samtranslator'], { env }).status !== 0)
    execFileSync(PYTHON, ['-m', 'pip', 'install', '--quiet', '--target', FOLDER, PACKAGE], { stdio: 'pipe' });
  const options = { input: JSON.stringify(template), env, encoding: 'utf8', stdio: 'pipe' } as const;
  return JSON.parse(execFileSync(PYTHON, ['-c', TRANSLATE], options));
}

/** A template whose code is in S3, where `sam package` puts it. */
function packaged({ Resources, ...rest }: SamTemplate): SamTemplate {
  const { SendDigestFunction: fn = { Type: 'none' } } = Resources;
  const Properties = { ...fn.Properties, CodeUri: 's3://bucket/key' };
  return { ...rest, Resources: { ...Resources, SendDigestFunction: { ...fn, Properties } } };
}

/** The resources without the tag that SAM adds to each function. */
function withoutTag(resources: Resources): Resources {
  const { SendDigestFunction: fn = { Type: 'none' } } = resources;
  const { Tags: _, ...Properties } = fn.Properties ?? {};
  return { ...resources, SendDigestFunction: { ...fn, Properties } };
}
