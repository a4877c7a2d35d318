import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { CACHE } from '../../support/node-binary.js';
import { parseCloudFormation, readSam, readTransformed, type SamTemplate } from './read-sam.js';
import type { Values } from './resources.js';

/*
 * SAM's own translator, a package of Python. Where it is missing, pip puts it into the cache of this checkout.
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
const PYTHON_ENV = { ...process.env, PYTHONPATH: FOLDER, AWS_DEFAULT_REGION: 'eu-central-1' };
const SLOW_MS = 300_000;

/** @throws Error with the translator's words, where it refuses the template */
function translated(template: unknown): SamTemplate {
  const input = JSON.stringify(template);
  const options = { input, env: PYTHON_ENV, encoding: 'utf8', stdio: 'pipe' } as const;
  return JSON.parse(execFileSync(PYTHON, ['-c', TRANSLATE], options));
}

/** With the code where `sam package` puts it, and other properties of the function, if any. */
function packaged({ Resources, ...rest }: SamTemplate, properties: Values = {}): SamTemplate {
  const { SendDigestFunction: fn, ...others } = Resources;
  if (!fn) throw new Error('no SendDigestFunction');
  const packagedFn = { ...fn, Properties: { ...fn.Properties, CodeUri: 's3://bucket/key', ...properties } };
  return { ...rest, Resources: { ...others, SendDigestFunction: packagedFn } };
}

/** The tag that SAM gives to each function. */
function withoutTag({ Resources, ...rest }: SamTemplate): SamTemplate {
  const { SendDigestFunction: fn, ...others } = Resources;
  if (!fn) throw new Error('no SendDigestFunction');
  const { Tags, ...properties } = fn.Properties ?? {};
  expect(Tags).toEqual([{ Key: 'lambda:createdBy', Value: 'SAM' }]);
  return { ...rest, Resources: { ...others, SendDigestFunction: { ...fn, Properties: properties } } };
}

beforeAll(() => {
  if (spawnSync(PYTHON, ['-c', 'import samtranslator'], { env: PYTHON_ENV }).status === 0) return;
  execFileSync(PYTHON, ['-m', 'pip', 'install', '--quiet', '--target', FOLDER, PACKAGE], { stdio: 'pipe' });
}, SLOW_MS);

test(
  "SAM's translator makes of the template what the comparison with the construct takes it to make, and refuses a mistake",
  () => {
    const text = readFileSync(new URL('../../../infra/templates/sam/template.yaml', import.meta.url), 'utf8');
    const template = parseCloudFormation(text);

    expect(readTransformed(withoutTag(translated(packaged(template))))).toEqual(readSam(text));
    expect(() => translated(packaged(template, { Memory: 256 }))).toThrow('property Memory not defined');
  },
  SLOW_MS,
);
