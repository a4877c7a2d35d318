import { transformSync } from 'esbuild';
import { type Deployment, readTemplate } from './deployment.js';
import { cloudFormationOf, type ProviderResource, policyOf } from './provider-resources.js';
import type { Values } from './resources.js';

interface Config {
  app(input: { readonly stage: string }): unknown;
  run(): Promise<unknown>;
}

/** The attributes of a resource that other resources refer to, each with its mark. */
const ATTRIBUTES: Readonly<Record<string, Values>> = {
  aws_dynamodb_table: { name: '{{table.name}}', arn: '{{table.arn}}' },
  aws_lambda_function: { name: '{{function.name}}', arn: '{{function.arn}}' },
  aws_cloudwatch_log_group: { name: '{{log.name}}', arn: '{{log}}' },
  aws_sqs_queue: { url: '{{queue.url}}', arn: '{{queue.arn}}', name: '{{queue.name}}' },
  aws_scheduler_schedule_group: { name: '{{group.name}}' },
  aws_sns_topic: { arn: '{{topic.arn}}' },
};

export async function readSst(text: string): Promise<Deployment> {
  return readTemplate({
    jobName: /const job = \{[^}]*?name: '([^']+)'/.exec(text)?.[1] ?? '',
    resources: cloudFormationOf(await resourcesOfSst({ 'job.sst.ts': text, 'sst.config.ts': CONFIG })),
    alarmName: (id) => id.replace(/^\w+\.SendDigest/, ''),
  });
}

const CONFIG = "export default $config({ app: () => ({}), run: () => import('./job.sst') });";

/** Runs an `sst.config.ts` and its imports. Recorders stand for SST's components and Pulumi's resources. */
export async function resourcesOfSst(files: Readonly<Record<string, string>>): Promise<readonly ProviderResource[]> {
  const made: ProviderResource[] = [];
  const globals = recorders((type, id, args, isRetained = false) => {
    made.push({ type, id, args, isRetained });
    return ATTRIBUTES[type] ?? { arn: `{{role.arn:aws_iam_role.${id}}}` };
  });
  const load = (path: string): Readonly<Record<string, unknown>> => {
    const text = files[`${path.replace('./', '')}.ts`];
    if (text === undefined) throw new Error(`no file ${path}`);
    const { code } = transformSync(text, { loader: 'ts', format: 'cjs', supported: { 'dynamic-import': false } });
    const module = { exports: {} };
    const known = { ...globals, require: load, module, exports: module.exports };
    new Function(...Object.keys(known), code)(...Object.values(known));
    return module.exports;
  };
  const { default: config } = load('./sst.config') as { readonly default: Config };
  config.app({ stage: 'test' });
  await config.run();
  return made;
}

function recorders(make: Make): Values {
  const resource = (type: string) => constructible((id, args: Values) => make(type, id, args));
  const output = (parts: TemplateStringsArray, ...values: readonly unknown[]) =>
    String.raw({ raw: parts }, ...values).replace('{{log}}:*', '{{log.arn}}');
  return {
    $config: (config: Config) => config,
    $app: { name: 'jobs', stage: 'test' },
    $interpolate: output,
    $jsonStringify: JSON.stringify,
    sst: { aws: { Dynamo: constructible(dynamo(make)), Function: constructible(lambda(make)) } },
    aws: {
      getCallerIdentityOutput: () => ({ accountId: '{{account}}' }),
      getRegionOutput: () => ({ id: '{{region}}' }),
      getPartitionOutput: () => ({ partition: '{{partition}}' }),
      cloudwatch: {
        LogGroup: resource('aws_cloudwatch_log_group'),
        MetricAlarm: resource('aws_cloudwatch_metric_alarm'),
      },
      iam: {
        Role: resource('aws_iam_role'),
        getPolicyDocumentOutput: ({ statements }: { readonly statements: readonly Values[] }) => ({
          json: policyOf(statements),
        }),
      },
      scheduler: {
        ScheduleGroup: resource('aws_scheduler_schedule_group'),
        Schedule: resource('aws_scheduler_schedule'),
      },
      sns: { Topic: resource('aws_sns_topic') },
      sqs: { Queue: resource('aws_sqs_queue'), QueuePolicy: resource('aws_sqs_queue_policy') },
    },
  };
}

/** A function that `new` can call. */
function constructible<T>(made: (id: string, args: T) => Values): unknown {
  return new Proxy(class {}, { construct: (_, [id, args = {}]) => made(id, args) });
}

type Make = (type: string, id: string, args: Values, isRetained?: boolean) => Values;

/** The table that `sst.aws.Dynamo` makes from its arguments. Throws for others: their defaults would go unnoticed. */
function dynamo(make: Make) {
  return (id: string, { fields, primaryIndex, transform, ...rest }: DynamoArgs): Values => {
    if (Object.keys(rest).length > 0) throw new Error(`Dynamo has ${Object.keys(rest).join(', ')}`);
    const attributes = Object.entries(fields).map(([name, type]) => ({ name, type: type === 'string' ? 'S' : type }));
    const args: Record<string, unknown> = { attributes, ...primaryIndex };
    const options: { retainOnDelete?: boolean } = {};
    transform.table(args, options);
    return make('aws_dynamodb_table', id, args, options.retainOnDelete === true);
  };
}

interface DynamoArgs {
  readonly fields: Readonly<Record<string, string>>;
  readonly primaryIndex: Values;
  readonly transform: { table(args: Record<string, unknown>, options: { retainOnDelete?: boolean }): void };
}

function lambda(make: Make) {
  return (id: string, given: FunctionArgs): Values => {
    const { architecture, memory, timeout, logging, environment, retries, transform, dev, ...args } = given;
    if (dev !== false) throw new Error('sst dev deploys a stub with this role');
    const made = make('aws_lambda_function', id, {
      ...args,
      architectures: [architecture],
      memorySize: Number(/^(\d+) MB$/.exec(memory)?.[1]),
      timeout: Number(/^(\d+) seconds$/.exec(timeout)?.[1]),
      loggingConfig: logging,
      environment: { variables: environment },
    });
    make('aws_lambda_function_event_invoke_config', id, {
      functionName: made['name'],
      maximumRetryAttempts: retries,
      ...transform.eventInvokeConfig,
    });
    return made;
  };
}

interface FunctionArgs {
  readonly architecture: string;
  readonly memory: string;
  readonly timeout: string;
  readonly logging: Values;
  readonly environment: Values;
  readonly retries: number;
  readonly dev?: boolean;
  readonly transform: { readonly eventInvokeConfig: Values };
}
