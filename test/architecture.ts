import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';
import { DATABASE, ROOMS, roomOf } from './rooms.js';
import { DOORS } from './support/doors.js';

/** Source texts by path from the root of the repository, such as `src/core/run/hold.ts`. */
export type Sources = Readonly<Record<string, string>>;

interface Import {
  /** `undefined` if the specifier is computed. */
  readonly specifier: string | undefined;
  readonly typeOnly: boolean;
}

/**
 * The family of a file, in rooms that have several: one for each platform, such as `http.ts` and `http-*`, and a folder
 * for each database. No family imports another.
 */
const FAMILY_OF: Readonly<Record<string, (path: string) => string>> = {
  adapters: (path) => posix.basename(path).split(/[-.]/)[0] ?? '',
  [DATABASE]: posix.dirname,
};

/** The part of `infra` that is published. */
const CONSTRUCTS = 'infra/constructs/';

/** What the constructs may import from the library, so that no rule, no limit and no name is written twice. */
const SHARED = ['src/schedule/', 'src/core/values/', 'src/core/observers/emf-metrics.js'];

/** A file that `init` gives to users. It imports the door that users import. */
const GIVEN = 'infra/templates/cdk/';

/** The source files of the doors, as an import names them: `src/index.js`. */
const DOOR_FILES = new Set(Object.values(DOORS).map((source) => source.slice(2).replace(/ts$/, 'js')));

/** A room that exports types only. */
const PORTS = 'core/ports';

const { peerDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly peerDependencies: Readonly<Record<string, string>>;
};

/** Packages that the files with these path prefixes may import; no other file of src imports any. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  'src/stores/dynamodb/': /^@aws-sdk\//,
  'src/cli/console/page/': /^preact(\/hooks)?$/,
  'src/cli/': /^(node:|@aws-sdk\/)/,
  // A file in this folder opens a store by the client that its user has installed.
  'src/cli/store/': new RegExp(`^(${Object.keys(peerDependencies).join('|')})(/|$)`),
};

/** What only one file of src may use. All other files use that file. */
const OWNED: readonly { readonly what: RegExp; readonly owner: string; readonly exceptIn?: RegExp }[] = [
  {
    what: /^(Date|performance|setTimeout|setInterval|setImmediate|AbortSignal\.timeout)$/,
    owner: 'src/core/values/clock.ts',
    // `cli.ts` makes the clock that commands are given, and the page runs in a browser.
    exceptIn: /^src\/cli\/(cli\.ts$|console\/page\/)/,
  },
  { what: /^console$/, owner: 'src/core/observers/operator-log.ts' },
  { what: /^Math\.random$/, owner: 'src/core/values/clock.ts' },
  // Ids in the events and contexts that tests make decide nothing.
  {
    what: /^crypto$/,
    owner: 'src/core/values/names.ts',
    exceptIn: /^src\/(testing\/|stores\/redis\/send.ts$)/,
  },
];

const EMPTY_NAMES = /^(utils?|helpers?|types|constants|manager|service|base|impl)$/;
const MAX_LINES = 300;
const USUAL_LINES = 250;
const LONG_FILES_ALLOWED = 0.1;

interface Limits {
  /** Lines of one function, with the functions inside it. */
  readonly functionLines: number;
  readonly parameters: number;
  /** Files directly in one folder. */
  readonly files: number;
}

const LIMITS: Limits = { functionLines: 60, parameters: 4, files: 16 };

/** Higher limits of single folders. */
const EXCEPTIONS: Readonly<Record<string, Partial<Limits>>> = {
  'src/testing/': { functionLines: 69, parameters: 5 },
  // The port `Storage` has a write of five.
  'src/stores/sql/': { parameters: 5 },
};

export function breaches(sources: Sources): string[] {
  const found: string[] = [];
  for (const [path, text] of Object.entries(sources)) {
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
    for (const imported of importsOf(file)) {
      const reason = refusal(path, imported);
      if (reason) found.push(`${path}: ${reason}`);
    }
    if (!path.startsWith('src/')) continue;
    if (!ROOMS[roomOf(path)]) found.push(`${path}: room '${roomOf(path)}' has no line in the table of rooms`);
    for (const name of globalsUsed(file)) {
      const rule = OWNED.find(({ what }) => what.test(name));
      const isAllowed = !rule || rule.owner === path || rule.exceptIn?.test(path);
      if (!isAllowed) found.push(`${path}: uses ${name}, which only ${rule.owner} may`);
    }
    if (hasDefaultExport(file)) found.push(`${path}: default export`);
    if (roomOf(path) === PORTS && !hasOnlyTypes(file)) found.push(`${path}: ${PORTS} holds types only`);
    if (
      posix
        .basename(path)
        .split(/[-.]/)
        .some((word) => EMPTY_NAMES.test(word))
    ) {
      found.push(`${path}: a file is named after its main export`);
    }
    found.push(...largeFunctions(file).map((reason) => `${path}: ${reason}`));
    if (lines(text) > MAX_LINES) found.push(`${path}: ${lines(text)} lines, more than ${MAX_LINES}`);
  }
  return [...found, ...tooManyLongFiles(sources), ...fullFolders(sources)];
}

/**
 * Every circle of files that import one another, imports of types included: the files of each, sorted. Two circles that
 * share a file are one.
 */
export function circles(sources: Sources): string[][] {
  const imports = new Map(Object.entries(sources).map(([path, text]) => [path, importedFiles(path, text)]));
  const reached = new Map(Object.keys(sources).map((path) => [path, reachedFrom(path, imports)]));
  const circleOf = (path: string) => [...(reached.get(path) ?? [])].filter((other) => reached.get(other)?.has(path));
  const found = Object.keys(sources).map((path) => circleOf(path).sort());
  return [...new Map(found.filter(({ length }) => length > 0).map((circle) => [circle.join(), circle])).values()];
}

/** The files that a file imports, each with both names that it can have. */
function importedFiles(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  return importsOf(file).flatMap(({ specifier }) => {
    if (!specifier?.startsWith('.')) return [];
    const name = posix.join(posix.dirname(path), specifier).replace(/\.js$/, '');
    return [`${name}.ts`, `${name}.tsx`];
  });
}

function reachedFrom(path: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set(imports.get(path));
  // A set that grows is walked to its new end.
  for (const file of reached) for (const next of imports.get(file) ?? []) reached.add(next);
  return reached;
}

function refusal(path: string, { specifier, typeOnly }: Import): string | undefined {
  if (specifier === undefined) return 'computed import';
  if (path.startsWith('handlers/')) {
    const door = /^(single-execution($|\/)|@aws-sdk\/|@upstash\/redis($|\/)|pg$)/.test(specifier);
    return door || (specifier === 'aws-lambda' && typeOnly)
      ? undefined
      : `a handler imports public doors, @aws-sdk/*, @upstash/redis, pg and types of aws-lambda only, not '${specifier}'`;
  }
  const target = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined;
  if (path.startsWith(CONSTRUCTS) && SHARED.some((shared) => target?.startsWith(shared))) return undefined;
  if (path.startsWith(GIVEN) && specifier === 'single-execution/cdk') return undefined;
  if (path.startsWith('infra/')) {
    const library = /^single-execution($|\/)/.test(specifier) || (target !== undefined && !target.startsWith('infra/'));
    if (library) return `infra knows src and handlers by their paths only, not '${specifier}'`;
    const leaves = path.startsWith(CONSTRUCTS) && target !== undefined && !target.startsWith(CONSTRUCTS);
    return leaves ? `the constructs are published without ${target}` : undefined;
  }
  if (!path.startsWith('src/')) return undefined;
  return target === undefined ? packageRefusal(path, specifier) : arrowRefusal(path, target);
}

function packageRefusal(path: string, specifier: string): string | undefined {
  const allowed = Object.entries(PACKAGES).some(([prefix, name]) => path.startsWith(prefix) && name.test(specifier));
  return allowed ? undefined : `imports '${specifier}'`;
}

function arrowRefusal(path: string, target: string): string | undefined {
  if (!target.startsWith('src/')) return `imports ${target} from outside src`;
  const [from, to] = [roomOf(path), roomOf(target.replace(/\.js$/, '.ts'))];
  if (to !== from) {
    const isSeen = ROOMS[from]?.sees.includes(to) || (ROOMS[from]?.seesDoors && DOOR_FILES.has(target));
    return isSeen ? undefined : `${from} must not import ${to}: ${target}`;
  }
  return FAMILY_OF[from] && FAMILY_OF[from](path) !== FAMILY_OF[from](target)
    ? `${from} must not import one another: ${target}`
    : undefined;
}

const lines = (text: string): number => text.replace(/\n$/, '').split('\n').length;

function tooManyLongFiles(sources: Sources): string[] {
  const all = Object.entries(sources).filter(([path]) => path.startsWith('src/'));
  const long = all.filter(([, text]) => lines(text) > USUAL_LINES).map(([path]) => path);
  return long.length > Math.max(1, all.length * LONG_FILES_ALLOWED)
    ? [`too many files above ${USUAL_LINES} lines: ${long.join(', ')}`]
    : [];
}

function limitsOf(path: string): Limits {
  const exceptions = Object.entries(EXCEPTIONS).filter(([folder]) => path.startsWith(folder));
  return Object.assign({}, LIMITS, ...exceptions.map(([, limits]) => limits));
}

function largeFunctions(file: ts.SourceFile): string[] {
  const limits = limitsOf(file.fileName);
  const found: string[] = [];
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const name = nameOf(node);
      const length = lineOf(node.getEnd()) - lineOf(node.getStart(file)) + 1;
      const parameters = node.parameters.filter((parameter) => parameter.name.getText(file) !== 'this').length;
      if (length > limits.functionLines) {
        found.push(`function ${name} has ${length} lines, more than ${limits.functionLines}`);
      }
      if (parameters > limits.parameters) {
        found.push(`function ${name} has ${parameters} parameters, more than ${limits.parameters}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function nameOf(node: ts.SignatureDeclaration): string {
  const named = node.name ?? (node.parent as { readonly name?: ts.Node }).name;
  return named?.getText() ?? 'without a name';
}

function fullFolders(sources: Sources): string[] {
  const counts = new Map<string, number>();
  for (const path of Object.keys(sources).filter((name) => name.startsWith('src/'))) {
    const folder = `${posix.dirname(path)}/`;
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].flatMap(([folder, count]) => {
    const limit = limitsOf(folder).files;
    return count > limit ? [`${folder} has ${count} files, more than ${limit}`] : [];
  });
}

function importsOf(file: ts.SourceFile): Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) =>
    found.push({ specifier: specifier && ts.isStringLiteralLike(specifier) ? specifier.text : undefined, typeOnly });
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, node.importClause?.phaseModifier === TYPE);
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isExternalModuleReference(node)) add(node.expression, false);
    else if (ts.isImportTypeNode(node))
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
    else if (ts.isCallExpression(node) && isModuleCall(node.expression)) add(node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const TYPE = ts.SyntaxKind.TypeKeyword;

const isModuleCall = (callee: ts.Expression): boolean =>
  callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require');

/**
 * Global values that the file uses, such as `console`, `Math.random` or `Date`. `Date` counts only if it reads the
 * clock or is passed on, so not in `new Date(ms)`, `Date.parse`, `Date.UTC`, `Date.prototype` and `instanceof Date`.
 */
function globalsUsed(file: ts.SourceFile): Set<string> {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return;
    if (ts.isIdentifier(node) && isReference(node)) {
      const whole = isMemberOfGlobalThis(node) ? (node.parent as ts.Expression) : node;
      const member = memberOf(whole);
      if (node.text !== 'Date' || readsClock(whole, member)) found.add(node.text);
      if (member) found.add(`${node.text}.${member}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return isMemberOfGlobalThis(node);
  if (ts.isBindingElement(parent) || ts.isShorthandPropertyAssignment(parent)) return true;
  const named = parent as { name?: ts.Node; propertyName?: ts.Node };
  return named.name !== node && named.propertyName !== node;
}

function isMemberOfGlobalThis({ parent }: ts.Node): boolean {
  return (
    ts.isPropertyAccessExpression(parent) &&
    ts.isIdentifier(parent.expression) &&
    parent.expression.text === 'globalThis'
  );
}

function memberOf({ parent }: ts.Node): string | undefined {
  return ts.isPropertyAccessExpression(parent) ? parent.name.text : undefined;
}

function readsClock(date: ts.Node, member: string | undefined): boolean {
  const { parent } = date;
  if (member) return !['parse', 'UTC', 'prototype'].includes(member);
  if (ts.isNewExpression(parent)) return parent.expression !== date || !parent.arguments?.length;
  return !(ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword);
}

function hasOnlyTypes(file: ts.SourceFile): boolean {
  return file.statements.every(
    (statement) =>
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isImportDeclaration(statement) ||
      (ts.isExportDeclaration(statement) && statement.isTypeOnly),
  );
}

function hasDefaultExport(file: ts.SourceFile): boolean {
  return file.statements.some(
    (statement) =>
      ts.isExportAssignment(statement) ||
      (ts.canHaveModifiers(statement) &&
        ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)) ||
      (ts.isExportDeclaration(statement) &&
        statement.exportClause !== undefined &&
        ts.isNamedExports(statement.exportClause) &&
        statement.exportClause.elements.some(({ name }) => name.text === 'default')),
  );
}
