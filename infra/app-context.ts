import type { Node } from 'constructs';

export interface AppContext {
  readonly stage: string;
  /** The region to deploy to. `undefined`: the region of the AWS profile. */
  readonly region: string | undefined;
  readonly tenants: readonly string[];
  readonly tenantApiUrl: string;
  readonly alarmEmail: string | undefined;
}

const STAGE = /^[a-z][a-z0-9-]{0,19}$/;
const REGION = /^[a-z]{2,4}(-[a-z]+)+-\d$/;

/**
 * Reads the app's settings from cdk.json and from `-c name=value`.
 *
 * @throws TypeError naming the value and the remedy
 */
export function readContext(node: Node): AppContext {
  const text = (name: string): string | undefined => {
    const value: unknown = node.tryGetContext(name);
    if (value === undefined || value === '') return undefined;
    return typeof value === 'string' ? value : refuse(name, value, 'pass a string');
  };
  const {
    stage = 'dev',
    region,
    tenantApiUrl = '',
    alarmEmail,
  } = {
    stage: text('stage'),
    region: text('region'),
    tenantApiUrl: text('tenantApiUrl'),
    alarmEmail: text('alarmEmail'),
  };
  const given: unknown = node.tryGetContext('tenants');
  // On the command line the list is one text, with commas.
  const tenants: unknown = typeof given === 'string' ? given.split(',').map((tenant) => tenant.trim()) : given;

  if (!STAGE.test(stage)) refuse('stage', stage, "use up to 20 lower-case letters, digits and '-', such as 'prod'");
  if (region !== undefined && !REGION.test(region)) refuse('region', region, "pass one such as 'eu-west-1'");
  if (!isHttps(tenantApiUrl)) refuse('tenantApiUrl', tenantApiUrl, "pass one such as 'https://tenants.example/v1/'");
  if (!isListOfTexts(tenants) || new Set(tenants).size < tenants.length) {
    return refuse('tenants', given, "pass at least one and each once, such as 'acme,globex'");
  }
  return { stage, region, tenants, tenantApiUrl, alarmEmail };
}

function isHttps(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === 'https:';
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string' && item !== '');
}

function refuse(name: string, value: unknown, remedy: string): never {
  throw new TypeError(`context ${name} is ${JSON.stringify(value)}: ${remedy} in cdk.json, or with -c ${name}=…`);
}
