/** What is written as YAML. A key that begins with `#` is a comment on what follows. */
export type Yaml = string | number | boolean | undefined | readonly Yaml[] | YamlObject;
export interface YamlObject {
  readonly [key: string]: Yaml;
}

/** A text as the tool writes it, such as `Locks.Arn` under the tag `!GetAtt`. */
export interface Scalar {
  readonly tag: '' | '!Ref ' | '!GetAtt ' | '!Sub ';
  readonly text: string;
}

export type ScalarOf = (text: string) => Scalar;

const WIDTH = 110;

/** Writes an object as lines. A list of scalars stands in one line where it fits. */
export function yamlLines(value: YamlObject, scalarOf: ScalarOf): string[] {
  return Object.entries(value).flatMap(([key, part]) => {
    if (key.startsWith('#')) return [key];
    return part === undefined ? [] : entry(`${quoted(key)}:`, part, scalarOf);
  });
}

function entry(head: string, value: Yaml, scalarOf: ScalarOf): string[] {
  if (!isObject(value) && !isList(value)) return scalarEntry(head, value, scalarOf);
  if (isObject(value)) return [head, ...indented(yamlLines(value, scalarOf))];
  if (!value.some(isObject)) {
    const flow = `${head} [${value.map((item) => inLine(item, scalarOf)).join(', ')}]`;
    if (flow.length < WIDTH) return [flow];
  }
  return [head, ...indented(value.flatMap((item) => listItem(item, scalarOf)))];
}

function listItem(item: Yaml, scalarOf: ScalarOf): string[] {
  const lines = isObject(item) ? yamlLines(item, scalarOf) : [inLine(item, scalarOf)];
  return lines.map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`));
}

/** A text of several lines keeps them; a long one is folded. */
function scalarEntry(head: string, value: Yaml, scalarOf: ScalarOf): string[] {
  const line = `${head} ${inLine(value, scalarOf)}`;
  if (typeof value !== 'string' || (line.length < WIDTH && !value.includes('\n'))) return [line];
  const { tag, text } = scalarOf(value);
  const isMany = value.includes('\n');
  return [`${head} ${tag}${isMany ? '|' : '>'}-`, ...indented(isMany ? text.split('\n') : folded(text))];
}

function inLine(value: Yaml, scalarOf: ScalarOf): string {
  if (typeof value !== 'string') return String(value);
  const { tag, text } = scalarOf(value);
  return tag + (tag === '!Sub ' ? `'${text}'` : quoted(text));
}

function folded(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length > WIDTH - 10) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

const isList = (value: Yaml): value is readonly Yaml[] => Array.isArray(value);
const isObject = (value: Yaml): value is YamlObject => typeof value === 'object' && !isList(value);
const indented = (lines: readonly string[]): string[] => lines.map((line) => (line === '' ? '' : `  ${line}`));

/** A scalar, in quotes where YAML 1.1, which CloudFormation reads, takes it for something else: `OFF` is false. */
function quoted(text: string): string {
  const isPlain =
    /^[A-Za-z./$<(-][\w./ (),=?<>$:%+-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$|: |:$/i.test(text);
  return isPlain ? text : `'${text.replaceAll("'", "''")}'`;
}
