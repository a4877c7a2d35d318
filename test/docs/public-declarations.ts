import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { DOORS } from '../support/doors.js';

const ROOT = join(import.meta.dirname, '../..');

/** A declaration that users can see: what a door exports, a type that such a declaration names, or a member of one. */
export interface PublicSymbol {
  /** Such as `LockOptions.keepAlive`. Names no door, because several doors may export the same declaration. */
  readonly name: string;
  /** The path of its file from the root of the repository. */
  readonly file: string;
  readonly comment: string;
  /** Whether it is a function or a class that a door exports. */
  readonly called: boolean;
}

type Declaration = ts.FunctionDeclaration | ts.ClassDeclaration | ts.InterfaceDeclaration | ts.TypeAliasDeclaration;

/** A door, and the declarations behind its names: what it exports, and the types that these name. */
export interface Door {
  readonly door: string;
  readonly exported: ReadonlyMap<string, ts.Node>;
  /** Names that are exported by `export type`. */
  readonly typeOnly: ReadonlySet<string>;
  readonly reached: ReadonlyMap<string, ts.Node>;
}

const isOwn = (file: string) => file.startsWith(ROOT) && !file.includes('node_modules');

/** An `@internal` method with a computed name. If the compiler sees only one file, it does not remove such a method. */
const INTERNAL_METHOD = /^ *\/\*\* @internal \*\/\n(?:.*\n)*? {2}}$/gm;

/**
 * The declarations that the build publishes, made file by file and without the packages that they import. As in the
 * build, `@internal` declarations are left out.
 */
function declarationsProgram(): ts.Program {
  const options: ts.CompilerOptions = {
    declaration: true,
    isolatedDeclarations: true,
    stripInternal: true,
    noLib: true,
    noResolve: false,
    types: [],
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  host.getSourceFile = (file, target) => {
    const source = readFileSync(file, 'utf8').replace(INTERNAL_METHOD, '');
    const { outputText } = ts.transpileDeclaration(source, { fileName: file, compilerOptions: options });
    return ts.createSourceFile(file, outputText, target, true);
  };
  host.resolveModuleNameLiterals = (literals, importer) =>
    literals.map(({ text }) => {
      if (!text.startsWith('.')) return { resolvedModule: undefined };
      const resolvedFileName = join(dirname(importer), text).replace(/\.js$/, '.ts');
      return { resolvedModule: { resolvedFileName, extension: ts.Extension.Ts, isExternalLibraryImport: false } };
    });
  return ts.createProgram(
    Object.values(DOORS).map((source) => join(ROOT, source)),
    options,
    host,
  );
}

/** Every door, in the order of tsconfig.json. */
export function publicDoors(): Door[] {
  const program = declarationsProgram();
  const checker = program.getTypeChecker();
  return Object.entries(DOORS).map(([door, source]) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(join(ROOT, source)) as ts.Node) as ts.Symbol;
    const symbols = checker.getExportsOfModule(module);
    const exported = new Map(
      symbols
        .map((symbol) => [symbol.name, declarationOf(checker, symbol)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
    const typeOnly = new Set(symbols.filter(isTypeOnly).map(({ name }) => name));
    return { door, exported, typeOnly, reached: reachedFrom(checker, [...exported.values()]) };
  });
}

const isTypeOnly = ({ declarations = [] }: ts.Symbol): boolean =>
  declarations.some((node) => ts.isExportSpecifier(node) && (node.isTypeOnly || node.parent.parent.isTypeOnly));

function declarationOf(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Node {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const [declaration] = target.declarations ?? [];
  if (!declaration) throw new Error(`${symbol.name} has no declaration`);
  return declaration;
}

/** The other types of this package that declarations name, and the types that these name in their declarations. */
function reachedFrom(checker: ts.TypeChecker, from: readonly ts.Node[]): Map<string, ts.Node> {
  const reached = new Map<string, ts.Node>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node);
      const target = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const [declaration] = target?.declarations ?? [];
      const isNew = declaration && isStatement(declaration) && !from.includes(declaration);
      if (isNew && isOwn(declaration.getSourceFile().fileName) && reached.get(node.text) !== declaration) {
        reached.set(node.text, declaration);
        visit(declaration);
      }
    }
    ts.forEachChild(node, visit);
  };
  for (const declaration of from) visit(declaration);
  return reached;
}

function isStatement(node: ts.Node): node is Declaration {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node)
  );
}

/** The statement of a declaration. In `const x: T`, a list stands between the declaration and the statement. */
export const statementOf = (node: ts.Node): ts.Node => (ts.isVariableDeclaration(node) ? node.parent.parent : node);

/** Each symbol and its members. A symbol of several doors is listed once. */
export function publicSymbols(doors: readonly Door[]): PublicSymbol[] {
  const seen = new Map<ts.Node, PublicSymbol>();
  for (const { exported, reached } of doors) {
    for (const [name, node] of [...exported, ...reached]) {
      for (const symbol of symbolsIn(name, node)) seen.set(symbol.node, symbol);
    }
  }
  return [...seen.values()];
}

function symbolsIn(name: string, node: ts.Node): (PublicSymbol & { readonly node: ts.Node })[] {
  const file = relative(ROOT, node.getSourceFile().fileName);
  const called = ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node) || ts.isVariableDeclaration(node);
  const members: { name: string; node: ts.Node }[] = [];
  const visit = (inner: ts.Node, path: string): void => {
    const member = isMember(inner) && !isHidden(inner) ? `${path}.${inner.name.getText()}` : path;
    if (member !== path) members.push({ name: member, node: inner });
    if (isHidden(inner)) return;
    // Skip the condition of a conditional type: its members are not members of the type.
    ts.forEachChild(inner, (child) => isCondition(child) || visit(child, member));
  };
  ts.forEachChild(node, (child) => visit(child, name));
  return [
    { name, file, node, called, comment: commentOf(statementOf(node)) },
    ...members.map((member) => ({ ...member, file, called: false, comment: commentOf(member.node) })),
  ];
}

function isMember(node: ts.Node): node is ts.Node & { readonly name: ts.PropertyName } {
  return (
    ts.isPropertySignature(node) ||
    ts.isMethodSignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isGetAccessorDeclaration(node)
  );
}

const isCondition = (node: ts.Node) => ts.isConditionalTypeNode(node.parent) && node === node.parent.extendsType;

function isHidden(node: ts.Node): boolean {
  const hidden = [ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.ProtectedKeyword];
  if (isMember(node) && ts.isPrivateIdentifier(node.name)) return true;
  return ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => hidden.includes(kind));
}

function commentOf(node: ts.Node): string {
  const comments = ts.getJSDocCommentsAndTags(node);
  return comments.map((comment) => comment.getText()).join('\n');
}
