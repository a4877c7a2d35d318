import ts from 'typescript';
import { type Door, statementOf } from './public-declarations.js';

const HEAD = `# The public declarations of a door, without their comments. \`npm run api\` writes this file.
# A line that goes or changes may break users: see docs/versioning.md.`;

/** A line of the report above a class or a function that a door exports by `export type`. */
const ONLY_A_TYPE = '// Only its type is exported.\n';

const isValue = (node: ts.Node) => !ts.isInterfaceDeclaration(node) && !ts.isTypeAliasDeclaration(node);

const printer = ts.createPrinter({ removeComments: true });

/**
 * The exports of a door, and the types that these name, as a text to compare. What the root door exports or names is
 * only in the root door's report.
 */
export function apiReport({ door, exported, typeOnly, reached }: Door, root: Door): string {
  const isRoot = door === root.door;
  const ofRoot = new Set(isRoot ? [] : root.exported.values());
  const behindRoot = new Set(isRoot ? [] : [...ofRoot, ...root.reached.values()]);
  const own = [...exported].filter(([, node]) => !ofRoot.has(node));
  const again = [...exported].filter(([, node]) => ofRoot.has(node)).map(([name]) => name);
  const behind = [...reached].filter(([, node]) => !behindRoot.has(node)).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    HEAD,
    `## ${door}`,
    ...own.map(([name, node]) => (isValue(node) && typeOnly.has(name) ? ONLY_A_TYPE : '') + textOf(name, node)),
    ...(again.length > 0 ? [`// It exports again, of ${root.door}: ${again.join(', ')}`] : []),
    ...(behind.length > 0 ? ['## Types that these name', ...behind.map(([name, node]) => textOf(name, node))] : []),
  ]
    .join('\n\n')
    .concat('\n');
}

/** The text of a declaration; of all declarations if a function has overloads. */
function textOf(name: string, node: ts.Node): string {
  const file = node.getSourceFile();
  const isOverload = (other: ts.Node) => ts.isFunctionDeclaration(other) && other.name?.text === name;
  const statements = ts.isFunctionDeclaration(node) ? file.statements.filter(isOverload) : [statementOf(node)];
  return statements
    .map((statement) => printer.printNode(ts.EmitHint.Unspecified, statement, file).replace(/^(export |declare )+/, ''))
    .join('\n');
}
