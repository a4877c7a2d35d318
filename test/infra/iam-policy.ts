/*
 * How IAM evaluates an identity-based policy, for the part of the policy language that these grants need. Anything else
 * in a policy is an error, so that nothing counts as harmless only because it was not understood.
 *
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements.html
 */

export interface AwsRequest {
  readonly action: string;
  readonly resource: string;
  /** The request context. The value of a multivalued key is a list. */
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
}

type Members = Readonly<Record<string, unknown>>;
type Pattern = (text: string) => boolean;
type Operator = (patterns: readonly string[], given: readonly string[] | string | undefined) => boolean;

const ARN_PARTS = 6;

/** Whether a policy by itself allows a request: one of its statements does. */
export function isAllowed(document: unknown, request: AwsRequest): boolean {
  const { Version: version, Statement: statements } = membersOf('policy', document, ['Version', 'Statement']);
  if (version !== '2012-10-17') throw new Error(`policy of version ${version}`);
  // Read all statements, so that an unknown element is an error in any of them.
  return listOf(statements)
    .map((statement) => allows(statement, request))
    .includes(true);
}

function allows(statement: unknown, { action, resource, context = {} }: AwsRequest): boolean {
  const known = ['Sid', 'Effect', 'Action', 'Resource', 'Condition'];
  const { Effect: effect, Action, Resource, Condition = {} } = membersOf('statement', statement, known);
  if (effect !== 'Allow') throw new Error(`statement with effect ${effect}`);
  const applies = [
    textsOf(Action).map(actionPattern).some(matches(action)),
    textsOf(Resource).map(arnPattern).some(matches(resource)),
    ...conditionsOf(Condition, context),
  ];
  return applies.every(Boolean);
}

function conditionsOf(block: unknown, context: NonNullable<AwsRequest['context']>): boolean[] {
  const given = new Map(Object.entries(context).map(([key, value]) => [key.toLowerCase(), value]));
  return Object.entries(membersOf('condition', block, Object.keys(OPERATORS))).flatMap(([name, keys]) =>
    Object.entries(keys as Members).map(([key, values]) => {
      const holds = OPERATORS[name] as Operator;
      return holds(textsOf(values), given.get(key.toLowerCase()));
    }),
  );
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  StringEquals: (patterns, given) => one(given, patterns.map(literal)),
  StringLike: (patterns, given) => one(given, patterns.map(likeness)),
  'ForAllValues:StringEquals': (patterns, given) => all(given, patterns.map(literal)),
  'ForAllValues:StringLike': (patterns, given) => all(given, patterns.map(likeness)),
  Null: (patterns, given) =>
    patterns.some((absent) => {
      if (absent !== 'true' && absent !== 'false') throw new Error(`Null with ${absent}`);
      return (valuesOf(given).length === 0) === (absent === 'true');
    }),
};

function one(given: readonly string[] | string | undefined, patterns: readonly Pattern[]): boolean {
  if (Array.isArray(given)) throw new Error('a multivalued key without a set operator');
  return typeof given === 'string' && patterns.some(matches(given));
}

/** Whether every value matches a pattern. True also if there are no values. */
function all(given: readonly string[] | string | undefined, patterns: readonly Pattern[]): boolean {
  return valuesOf(given).every((value) => patterns.some(matches(value)));
}

/** The values of a key. An empty text counts as no value. */
function valuesOf(given: readonly string[] | string | undefined): string[] {
  return [given ?? []].flat().filter((value) => value !== '');
}

function actionPattern(text: string): Pattern {
  if (!/^(\*|[a-z0-9-]+:[*?a-z0-9]+)$/i.test(text)) throw new Error(`action ${text}`);
  return pattern(text, { wildcards: true, flags: 'isu' });
}

/** A wildcard matches only within its part of the ARN. Variables are allowed in the last part only. */
function arnPattern(text: string): Pattern {
  if (text === '*') return () => true;
  const parts = arnParts(text);
  if (parts.length !== ARN_PARTS || parts.slice(0, -1).some((part) => part.includes('$'))) {
    throw new Error(`resource ${text}`);
  }
  const patterns = parts.map(likeness);
  return (arn) => {
    const given = arnParts(arn);
    return patterns.every((isMatch, i) => isMatch(given[i] ?? ''));
  };
}

function arnParts(arn: string): string[] {
  const parts = arn.split(':');
  return [...parts.slice(0, ARN_PARTS - 1), parts.slice(ARN_PARTS - 1).join(':')];
}

const literal = (text: string): Pattern => pattern(text, { wildcards: false, flags: 'su' });
const likeness = (text: string): Pattern => pattern(text, { wildcards: true, flags: 'su' });
const matches = (text: string) => (isMatch: Pattern) => isMatch(text);

/** `${*}`, `${?}` and `${$}` stand for the character inside. The text is read once, from left to right. */
function pattern(text: string, { wildcards, flags }: { wildcards: boolean; flags: string }): Pattern {
  const sources = (text.match(/\$\{.*?(?:\}|$)|./gsu) ?? []).map((piece) => {
    const [, fixed] = /^\$\{([*?$])\}$/.exec(piece) ?? [];
    if (fixed !== undefined) return exactly(fixed);
    if (piece.startsWith('${')) throw new Error(`policy variable ${piece}`);
    if (wildcards && piece === '*') return '.*';
    if (wildcards && piece === '?') return '.';
    return exactly(piece);
  });
  const whole = new RegExp(`^${sources.join('')}$`, flags);
  return (candidate) => whole.test(candidate);
}

const exactly = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`;

function membersOf(what: string, value: unknown, known: readonly string[]): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what} is no object`);
  const stranger = Object.keys(value).find((key) => !known.includes(key));
  if (stranger !== undefined) throw new Error(`${what} with ${stranger}`);
  return value as Members;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

function textsOf(value: unknown): string[] {
  const texts = listOf(value);
  if (texts.length === 0 || !texts.every((text) => typeof text === 'string')) {
    throw new Error(`${JSON.stringify(value)} where texts are expected`);
  }
  return texts;
}

const PSEUDO_PARAMETERS: Members = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'eu-west-1',
  'AWS::AccountId': '123456789012',
};

/** A part of a template as it could be deployed: each resource gets an ARN made from its logical id. */
export function deployed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deployed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value as Members);
  const [name, given] = members[0] ?? ['', undefined];
  if (members.length !== 1 || !/^(Ref|Fn::.*)$/.test(name)) {
    return Object.fromEntries(members.map(([key, member]) => [key, deployed(member)]));
  }
  const [first, second] = listOf(given);
  if (name === 'Fn::GetAtt' && second === 'Arn') return `arn:aws:fake:eu-west-1:123456789012:${first}`;
  if (name === 'Fn::Join') return textsOf(deployed(second)).join(String(first));
  if (name === 'Ref' && PSEUDO_PARAMETERS[String(first)] !== undefined) return PSEUDO_PARAMETERS[String(first)];
  throw new Error(`${name} of ${JSON.stringify(given)}`);
}
