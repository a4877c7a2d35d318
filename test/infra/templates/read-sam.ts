import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, type ScalarTag } from 'yaml';
import { CACHE, madeOnce } from '../../support/made-once.js';
import { type Deployment, readTemplate } from './deployment.js';
import type { Resources } from './resources.js';

/*
 * Reads templates of SAM with SAM's own translator, a Python package: it turns a function with given roles into a
 * function, its retry configuration and its schedules. If it is missing, pip installs it into a cache of this checkout.
 */

const PYTHON = 'python3';
const IMPORTS = `
import json, sys
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
`;
const TRANSLATE = `${IMPORTS}
json.dump(Translator({}, Parser()).translate(json.load(sys.stdin), {}), sys.stdout)
`;
const VERSION = '1.110.0';
const FOLDER = join(CACHE, `aws-sam-translator-${VERSION}`);
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
export async function readSam(text: string): Promise<Deployment> {
  await provideTranslator();
  const { Parameters, Resources } = translated(packaged(parseCloudFormation(text)));
  return readTemplate({
    jobName: String(Parameters['JobName']?.Default),
    resources: withoutTag(Resources),
    parameters: Object.fromEntries(Object.entries(Parameters).map(([name, { Default }]) => [name, Default])),
    alarmName: (id) => id.replace(/Alarm$/, ''),
  });
}

/** Two test files may need it at the same time, so nobody may see a folder into which pip still installs. */
async function provideTranslator(): Promise<void> {
  if (spawnSync(PYTHON, ['-c', IMPORTS], { env }).status === 0) return;
  const install = ['-m', 'pip', 'install', '--quiet', `aws-sam-translator==${VERSION}`, '--target'];
  await madeOnce(FOLDER, async (draft) => void (await promisify(execFile)(PYTHON, [...install, draft])));
}

function translated(template: SamTemplate): SamTemplate {
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
