import ts from 'typescript';
import { type Door, statementOf } from './public-declarations.js';

const HEAD = `# The public declarations of a door, without their comments. \`npm run api\` writes this file.
# A line that goes or changes may break users: see docs/versioning.md.`;

/** Stands above a class or a function that `export type` exports. */
const ONLY_A_TYPE = '// Only its type is exported.\n';

const isValue = (node: ts.Node) => !ts.isInterfaceDeclaration(node) && !ts.isTypeAliasDeclaration(node);

const printer = ts.createPrinter({ removeComments: true });

/**
 * What a door shows, as text to compare: its exports, and the types that they name. The report of the root door alone
 * has the declarations behind its names; others list these names.
 */
export function apiReport({ door, exported, typeOnly, reached }: Door, root: Door): string {
  const isRoot = door === root.door;
  const ofRoot = new Set(isRoot ? [] : root.exported.values());
  const behindRoot = new Set(isRoot ? [] : [...ofRoot, ...root.reached.values()]);
  const own = [...exported].filter(([, node]) => !ofRoot.has(node));
  const again = namesOf([...exported].filter(([, node]) => ofRoot.has(node)));
  const behind = [...reached].sort(([a], [b]) => (a < b ? -1 : 1));
  const ownBehind = behind.filter(([, node]) => !behindRoot.has(node));
  const others = namesOf(behind.filter(([, node]) => behindRoot.has(node)));
  return [
    HEAD,
    `## ${door}`,
    ...own.map(([name, node]) => (isValue(node) && typeOnly.has(name) ? ONLY_A_TYPE : '') + textOf(name, node)),
    ...(again.length > 0 ? [`// It exports again, of ${root.door}: ${again.join(', ')}`] : []),
    ...(ownBehind.length > 0 ? [BEHIND, ...ownBehind.map(([name, node]) => textOf(name, node))] : []),
    ...(others.length > 0 ? [`## Of ${root.door}`, others.join('\n')] : []),
  ]
    .join('\n\n')
    .concat('\n');
}

const BEHIND = '## Types that these name';

const namesOf = (nodes: readonly (readonly [name: string, node: ts.Node])[]): string[] => nodes.map(([name]) => name);

/** A declaration; all of them where a function has overloads. */
function textOf(name: string, node: ts.Node): string {
  const file = node.getSourceFile();
  const isOverload = (other: ts.Node) => ts.isFunctionDeclaration(other) && other.name?.text === name;
  const statements = ts.isFunctionDeclaration(node) ? file.statements.filter(isOverload) : [statementOf(node)];
  return statements
    .map((statement) => printer.printNode(ts.EmitHint.Unspecified, statement, file).replace(/^(export |declare )+/, ''))
    .join('\n');
}
