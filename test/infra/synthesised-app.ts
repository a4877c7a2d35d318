import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateTableCommand, type CreateTableCommandInput, type DynamoDBClient } from '@aws-sdk/client-dynamodb';

const ROOT = join(import.meta.dirname, '../..');

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, string>>;
}

/** Resolves an intrinsic function such as `{ Ref: 'Table' }` or `{ 'Fn::GetAtt': ['Table', 'Arn'] }`. */
export type Resolve = (logicalId: string, attribute?: string) => string;

/** The output of `cdk synth` for this project's app: templates, and the folders that `cdk deploy` zips. */
export interface SynthesisedApp {
  /** Reads a JSON file of the output, such as `manifest.json`. */
  file(name: string): Promise<unknown>;
  /** The properties of all resources of a type, by logical id. */
  ofType(type: string): Readonly<Record<string, Resource['Properties']>>;
  /** Copies the bundle of a function to a folder of its own, so that the bundle cannot use this project's packages. */
  unpack(functionId: string): Promise<string>;
  remove(): Promise<void>;
}

export async function synthesisedApp(stackName: string, context: readonly string[] = []): Promise<SynthesisedApp> {
  const folder = await mkdtemp(join(tmpdir(), 'synthesised-'));
  const output = join(folder, 'cdk.out');
  await cdk('synth', '--quiet', '--output', output, ...context.flatMap((value) => ['-c', value]));
  const template = await readFile(join(output, `${stackName}.template.json`), 'utf8');
  const resources: [string, Resource][] = Object.entries(JSON.parse(template).Resources);
  return {
    file: async (name) => JSON.parse(await readFile(join(output, name), 'utf8')),
    ofType: (type) =>
      Object.fromEntries(resources.flatMap(([id, it]) => (it.Type === type ? [[id, it.Properties] as const] : []))),
    async unpack(functionId) {
      const asset = resources.find(([id]) => id === functionId)?.[1].Metadata?.['aws:asset:path'];
      if (asset === undefined) throw new Error(`${functionId} has no asset`);
      const taskRoot = await mkdtemp(join(folder, 'task-'));
      await cp(join(output, asset), taskRoot, { recursive: true });
      return taskRoot;
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Runs the CDK's command line without credentials and without a network. @returns what it printed */
async function cdk(...args: string[]): Promise<string> {
  const nowhere = 'http://127.0.0.1:9';
  const { stdout } = await promisify(execFile)(join(ROOT, 'node_modules/.bin/cdk'), args, {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      HTTP_PROXY: nowhere,
      HTTPS_PROXY: nowhere,
      AWS_EC2_METADATA_DISABLED: 'true',
      // Turn off CloudFormation's validation, which takes ten seconds to load. A separate test validates this stack.
      CDK_VALIDATION: 'false',
    },
  });
  return stdout;
}

/** Replaces the intrinsic functions in a part of a template. */
export function resolved(value: unknown, resolve: Resolve): unknown {
  if (Array.isArray(value)) return value.map((item) => resolved(item, resolve));
  if (typeof value !== 'object' || value === null) return value;
  const { Ref: ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = value as Record<string, unknown>;
  if (typeof ref === 'string') return resolve(ref);
  if (Array.isArray(attribute)) return resolve(attribute[0], attribute[1]);
  if (Array.isArray(join)) return (resolved(join[1], resolve) as unknown[]).join(String(join[0]));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolved(part, resolve)]));
}

/** Creates a table in DynamoDB Local with the keys of a synthesised table. */
export async function createSynthesised(
  client: DynamoDBClient,
  TableName: string,
  { AttributeDefinitions, KeySchema, BillingMode }: Resource['Properties'],
): Promise<void> {
  const keys = { AttributeDefinitions, KeySchema, BillingMode } as Omit<CreateTableCommandInput, 'TableName'>;
  await client.send(new CreateTableCommand({ TableName, ...keys }));
}
