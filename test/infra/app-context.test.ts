import { RootConstruct } from 'constructs';
import { describe, expect, test } from 'vitest';
import { readContext } from '../../infra/app-context.js';

const needed = { tenants: ['acme'], tenantApiUrl: 'https://tenants.example/v1/' };

function read(context: Readonly<Record<string, unknown>>) {
  const { node } = new RootConstruct();
  for (const [name, value] of Object.entries(context)) node.setContext(name, value);
  return readContext(node);
}

test('readContext is dev, in the region of the AWS profile, and mails no alarms, by default', () => {
  const all = { ...needed, stage: 'dev', region: undefined, alarmEmail: undefined };

  expect(read(needed)).toEqual(all);
  // An empty value, as -c stage= is, counts as none.
  expect(read({ ...needed, stage: '', region: '', alarmEmail: '' })).toEqual(all);
});

test.each<[string, unknown, unknown?]>([
  ['tenantApiUrl', 'https://tenants.example:8443/v1/?all'],
  ['alarmEmail', 'ops@example.com'],
  ['tenants', ['acme', 'globex']],
  ['tenants', 'acme,globex', ['acme', 'globex']],
  ['tenants', 'acme', ['acme']],
  ...['a', 'prod', 'pr-1234', 'a23456789012345678-z'].map((stage): [string, string] => ['stage', stage]),
  ...['eu-west-1', 'us-gov-east-1', 'ap-southeast-3', 'cn-north-1', 'eusc-de-east-1'].map(
    (region): [string, string] => ['region', region],
  ),
])('readContext takes %s %j', (name, given, value = given) => {
  expect(read({ ...needed, [name]: given })).toMatchObject({ [name]: value });
});

describe('readContext refuses', () => {
  const STAGE = "use up to 20 lower-case letters, digits and '-', such as 'prod' in cdk.json, or with -c stage=…";
  const REGION = "pass one such as 'eu-west-1' in cdk.json, or with -c region=…";
  const TENANTS = "pass at least one and each once, such as 'acme,globex' in cdk.json, or with -c tenants=…";
  const URL = "pass one such as 'https://tenants.example/v1/' in cdk.json, or with -c tenantApiUrl=…";
  const text = (name: string) => `pass a string in cdk.json, or with -c ${name}=…`;

  test.each<[string, unknown, string]>([
    ['stage', 'Prod', `"Prod": ${STAGE}`],
    ['stage', '1st', `"1st": ${STAGE}`],
    ['stage', 'pr_1', `"pr_1": ${STAGE}`],
    ['stage', ' ', `" ": ${STAGE}`],
    ['stage', 'a23456789012345678901', `"a23456789012345678901": ${STAGE}`],
    ['stage', 5, `5: ${text('stage')}`],
    ['stage', false, `false: ${text('stage')}`],
    ['region', 'Ireland', `"Ireland": ${REGION}`],
    ['region', 'eu-west-1a', `"eu-west-1a": ${REGION}`],
    ['region', ['eu-west-1'], `["eu-west-1"]: ${text('region')}`],
    ['tenantApiUrl', undefined, `"": ${URL}`],
    ['tenantApiUrl', '', `"": ${URL}`],
    ['tenantApiUrl', 'tenants.example', `"tenants.example": ${URL}`],
    ['tenantApiUrl', 'http://tenants.example/', `"http://tenants.example/": ${URL}`],
    ['tenantApiUrl', {}, `{}: ${text('tenantApiUrl')}`],
    ['alarmEmail', ['ops@example.com'], `["ops@example.com"]: ${text('alarmEmail')}`],
    ['tenants', undefined, `undefined: ${TENANTS}`],
    ['tenants', '', `"": ${TENANTS}`],
    ['tenants', 'acme,', `"acme,": ${TENANTS}`],
    ['tenants', [], `[]: ${TENANTS}`],
    ['tenants', ['acme', ''], `["acme",""]: ${TENANTS}`],
    ['tenants', ['acme', 5], `["acme",5]: ${TENANTS}`],
    ['tenants', { acme: true }, `{"acme":true}: ${TENANTS}`],
    ['tenants', 'acme,acme', `"acme,acme": ${TENANTS}`],
  ])('%s %j, naming it and the remedy', (name, value, what) => {
    expect(() => read({ ...needed, [name]: value })).toThrow(new TypeError(`context ${name} is ${what}`));
  });
});
