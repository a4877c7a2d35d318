import { nameProblem } from '../../operate/lock-summary.js';
import { either, quoted, wrongUse } from '../exit-code.js';
import type { Environment, Options } from '../option.js';
import type { Session } from '../session.js';
import { azure } from './azure.js';
import { dynamodb } from './dynamodb.js';
import type { NamedStore, OpenedStore, StoreKind, StoreLine } from './kind.js';
import { mysql } from './mysql.js';
import { postgres } from './postgres.js';
import { redis } from './redis.js';
import { sqlite } from './sqlite.js';
import { upstash } from './upstash.js';

/**
 * All kinds of stores, in the order of the help. If no option names a store, the first variable that is set does;
 * docs/cli.md has this order.
 */
export const KINDS: readonly StoreKind[] = [dynamodb, redis, upstash, postgres, mysql, sqlite, azure];

/** Whether a kind is a SQL database, in which `--table` names the table of the locks. */
const isDatabase = ({ hasTable, namesTable }: StoreKind): boolean => hasTable === true && namesTable !== true;

/** The option that names a store of a kind, as one types it. */
export function spelledOption({ option, options }: StoreKind): string {
  const value = options[option]?.value;
  return value === undefined ? `--${option}` : `--${option} ${value}`;
}

/** The options of all stores. */
export const STORE_OPTIONS: Options = {
  ...Object.fromEntries(KINDS.flatMap(({ options }) => Object.entries(options))),
  table: {
    value: 'NAME',
    help: `${dynamodb.options['table']?.help}; or the table in the database of ${either(KINDS.filter(isDatabase).map(({ option }) => `--${option}`))}`,
  },
  prefix: {
    value: 'TEXT',
    help: "of the lock names' keys, as the stores' keyPrefix; by default LOCK_KEY_PREFIX for a table",
  },
};

/** @throws CliError if no store or more than one is named, and for an option of another kind of store */
export function namedStore(line: StoreLine, env: Environment): NamedStore {
  const given = kindGiven(line, env);
  const inOrder = given ? [] : kindsOfVariables(line, env);
  const kind = given ?? inOrder[0];
  if (!kind) {
    const variables = new Set(KINDS.flatMap(({ variable }) => [variable?.name ?? [], variable?.or ?? []].flat()));
    throw wrongUse(`no store is named: pass ${either(KINDS.map(spelledOption))}, or set ${either([...variables])}`);
  }
  const value = line.text(kind.option) ?? variableOf(kind, env)?.value ?? '';
  const keyPrefix = line.text('prefix') ?? (kind.prefixVariable && env[kind.prefixVariable]);
  const variables = inOrder.flatMap((its) => variableOf(its, env)?.name ?? []);
  const named: NamedStore = { kind, value, line, env, prefix: keyPrefix ? { keyPrefix } : {}, variables };
  kind.check?.(named);
  for (const { title, option, options } of KINDS.filter((other) => other !== kind)) {
    const stray = Object.keys(options).find((its) => its !== option && line.has(its));
    if (stray) throw wrongUse(`--${stray} is for ${title}: pass --${option} too`);
  }
  const problem = keyPrefix && nameProblem(keyPrefix);
  if (problem) throw wrongUse(`--prefix is ${quoted(keyPrefix)}: ${problem}`);
  return named;
}

/** Opens the store that the command line or the environment names. */
export async function openStore(
  line: StoreLine,
  { env, clock, terminal }: Pick<Session, 'env' | 'clock' | 'terminal'>,
): Promise<OpenedStore> {
  const named = namedStore(line, env);
  const [used, ...others] = named.variables;
  if (others.length > 0 && !line.has('quiet')) {
    const [are, one] = others.length === 1 ? ['is', 'it'] : ['are', 'one of them'];
    terminal.note(
      `single-execution: the locks are in ${named.kind.title}, by ${used}; ${others.join(' and ')} ${are} set too: to use ${one}, unset ${used} or name the store with an option`,
    );
  }
  return named.kind.open(named, clock);
}

/** The kind that the options name; undefined without such an option. @throws CliError if they name two */
function kindGiven(line: StoreLine, env: Environment): StoreKind | undefined {
  const given = KINDS.filter(({ option }) => line.has(option));
  const [one, other] = given.some(isDatabase) ? given.filter((kind) => kind !== dynamodb) : given;
  if (one && other) throw wrongUse(`--${one.option} and --${other.option} name two stores: pass one of them`);
  if (one !== dynamodb || variableOf(dynamodb, env) !== undefined) return one;
  const isOfDynamoDB = Object.keys(dynamodb.options).some((its) => its !== dynamodb.option && line.has(its));
  const database = KINDS.find((kind) => isDatabase(kind) && variableOf(kind, env) !== undefined);
  if (isOfDynamoDB || database === undefined) return one;
  throw wrongUse(
    `--table is a table of DynamoDB, or one in the ${database.title} of ${variableOf(database, env)?.name}: pass --region too for DynamoDB, or --${database.option} for ${database.title}`,
  );
}

/** The kinds whose variables are set, in their order; for a command that makes a table, those with tables first. */
function kindsOfVariables({ createsTable }: StoreLine, env: Environment): readonly StoreKind[] {
  const named = KINDS.filter((kind) => variableOf(kind, env) !== undefined);
  const withTables = createsTable ? named.filter(({ hasTable }) => hasTable) : [];
  return withTables.length > 0 ? withTables : named;
}

/** The variable that names a store of a kind, with its value; undefined if none is set. */
function variableOf({ variable }: StoreKind, env: Environment): { name: string; value: string } | undefined {
  return [variable?.name, variable?.or]
    .flatMap((name) => (name === undefined ? [] : { name, value: env[name] ?? '' }))
    .find(({ value }) => variable?.fits.test(value));
}
