import { packagesOf } from '../../support/package-sets.js';
import { type Deployment, readTemplate } from './deployment.js';
import { cloudFormationOf, type ProviderResource, policyOf } from './provider-resources.js';
import type { Values } from './resources.js';

/** The part of @cdktf/hcl2json that is used here. */
interface Hcl2json {
  parse(file: string, text: string): Promise<unknown>;
}

type Blocks = Readonly<Record<string, Readonly<Record<string, readonly [Values]>>>>;

interface Module {
  readonly terraform?: readonly [Values];
  readonly locals?: readonly [Readonly<Record<string, Values>>];
  readonly data?: Blocks;
  readonly resource?: Blocks;
}

/** The mark of each attribute of a resource. */
const MARKS: Readonly<Record<string, string>> = {
  'data.aws_caller_identity.account_id': '{{account}}',
  'data.aws_region.id': '{{region}}',
  'data.aws_partition.partition': '{{partition}}',
  'aws_dynamodb_table.name': '{{table.name}}',
  'aws_dynamodb_table.arn': '{{table.arn}}',
  'aws_lambda_function.function_name': '{{function.name}}',
  'aws_lambda_function.arn': '{{function.arn}}',
  'aws_cloudwatch_log_group.name': '{{log.name}}',
  'aws_sqs_queue.url': '{{queue.url}}',
  'aws_sqs_queue.arn': '{{queue.arn}}',
  'aws_sqs_queue.name': '{{queue.name}}',
  'aws_scheduler_schedule_group.name': '{{group.name}}',
  'aws_sns_topic.arn': '{{topic.arn}}',
};

async function moduleOf(text: string): Promise<Module> {
  const { parse } = (await packagesOf('test/infra/templates'))('@cdktf/hcl2json') as Hcl2json;
  return (await parse('main.tf', text)) as Module;
}

/** Reads a module of Terraform that deploys one job. */
export async function readTerraform(text: string): Promise<Deployment> {
  const { locals = [{}], data = {}, resource = {} } = await moduleOf(text);
  const settings = locals[0]['send_digest'] ?? {};
  const value = (given: unknown): unknown => {
    if (Array.isArray(given)) return given.map(value);
    if (typeof given === 'string') return textValue(given);
    if (typeof given !== 'object' || given === null) return given;
    return Object.fromEntries(Object.entries(given).map(([key, part]) => [key, value(part)]));
  };
  /** The value of a text. If the whole text is an expression, the value has the expression's type. */
  const textValue = (text: string): unknown => {
    const [, only] = /^\$\{([^}]+)\}$/.exec(text) ?? [];
    if (only !== undefined) return expression(only);
    return text
      .replaceAll(/\$\{aws_cloudwatch_log_group\.\w+\.arn\}:\*/g, '{{log.arn}}')
      .replace(/\$\{([^}]+)\}/g, (_, inside: string) => String(expression(inside)));
  };
  const expression = (text: string): unknown => {
    const factors = text.split(' * ');
    if (factors.length > 1) return factors.reduce((product, factor) => product * Number(expression(factor)), 1);
    if (/^[\d.]+$/.test(text)) return Number(text);
    const [, setting] = /^local\.send_digest\.(\w+)$/.exec(text) ?? [];
    if (setting !== undefined) return settings[setting];
    const [, document] = /^data\.aws_iam_policy_document\.(\w+)\.json$/.exec(text) ?? [];
    if (document !== undefined) return documentOf(document);
    const [, role, attribute] = /^aws_iam_role\.(\w+)\.(arn|id)$/.exec(text) ?? [];
    if (role !== undefined)
      return attribute === 'arn' ? `{{role.arn:aws_iam_role.${role}}}` : `{{role.name:aws_iam_role.${role}}}`;
    const mark = MARKS[text.replace(/\.\w+(\.\w+)$/, '$1')];
    if (mark === undefined) throw new Error(`a reference to ${text}`);
    return mark;
  };
  const documentOf = (name: string): Values => {
    const [{ statement }] = data['aws_iam_policy_document']?.[name] ?? [{ statement: [] }];
    return policyOf(
      (value(statement) as readonly Values[]).map(({ condition, ...rest }) => ({
        ...rest,
        ...(condition !== undefined && { conditions: condition }),
      })),
    );
  };
  const resources = Object.entries(resource).flatMap(([type, ofType]) =>
    Object.entries(ofType).map(([id, [given]]): ProviderResource => {
      // Leave out arguments about the code: `expression` does not know their functions.
      const { source_code_hash: _, filename: __, depends_on: ___, name_prefix: ____, ...args } = given;
      return { type, id, args: camelCased(value(args)) as Values };
    }),
  );
  return readTemplate({
    jobName: String(settings['name']),
    resources: cloudFormationOf(resources),
    alarmName: (id) => pascalCase(id.replace(/^\w+\.send_digest_/, '')),
  });
}

/** The names that a file of a module declares and that must be unique in the module. */
export async function declaredByTerraform(text: string): Promise<string[]> {
  const { terraform = [{}], locals = [{}], data = {}, resource = {} } = await moduleOf(text);
  const namesOf = (blocks: Blocks, kind: string) =>
    Object.entries(blocks).flatMap(([type, named]) => Object.keys(named).map((name) => `${kind} ${type}.${name}`));
  const settings = Object.keys(terraform[0]);
  return [...settings, ...Object.keys(locals[0]), ...namesOf(data, 'data'), ...namesOf(resource, 'resource')];
}

/** Pulumi's names of the blocks that Terraform repeats. hcl2json gives every block as a list, also a single one. */
const PLURALS: Readonly<Record<string, string>> = { attribute: 'attributes', metric_query: 'metricQueries' };

/** Gives arguments Pulumi's names. Keeps the keys of dimensions and environment variables, which are the user's. */
function camelCased(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(camelCased);
  if (typeof given !== 'object' || given === null || 'Statement' in given) return given;
  return Object.fromEntries(
    Object.entries(given).map(([key, part]) => {
      if (PLURALS[key]) return [PLURALS[key], camelCased(part)];
      const isOwn = key === 'variables' || key === 'dimensions';
      const [block] = Array.isArray(part) && part.length === 1 ? part : [];
      const single = typeof block === 'object' ? block : part;
      return [key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), isOwn ? part : camelCased(single)];
    }),
  );
}

const pascalCase = (name: string): string =>
  name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
