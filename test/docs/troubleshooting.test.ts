import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/guides/troubleshooting.md'), 'utf8');

/** What the first column of the section's table lists, without its quotes. */
function listed(heading: string): string[] {
  const section = PAGE.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name = '']) => name).sort();
}

const PROGRAM = ts.createProgram([join(ROOT, 'src/index.ts')], {
  ...ts.parseJsonConfigFileContent(ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile).config, ts.sys, ROOT)
    .options,
  noLib: true,
});

/** The texts that a property of a public type may be. */
function texts(name: string, property: string): string[] {
  const checker = PROGRAM.getTypeChecker();
  const door = PROGRAM.getSourceFile(join(ROOT, 'src/index.ts'));
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(door as ts.SourceFile) as ts.Symbol);
  const alias = exported.find((symbol) => symbol.name === name);
  if (!alias) throw new Error(`${name} is not exported`);
  const type = checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(alias));
  const symbol = checker.getPropertyOfType(type, property);
  const its = symbol && checker.getTypeOfSymbol(symbol);
  return (its?.isUnion() ? its.types : [its])
    .map((member) => (member?.isStringLiteral() ? member.value : `${name} has no text ${property}`))
    .sort();
}

test('docs/guides/troubleshooting.md has every reason of a skip, and no other', () => {
  expect(listed('Why a run was skipped')).toEqual(texts('Skipped', 'reason'));
});

test('docs/guides/troubleshooting.md has every code of an error, and no other', () => {
  const door = readFileSync(join(ROOT, 'src/index.ts'), 'utf8');
  const errors = [...new Set(door.match(/\b\w+Error\b/g))];

  expect(errors.length).toBeGreaterThan(4);
  expect(listed('Error codes')).toEqual(errors.flatMap((error) => texts(error, 'code')).sort());
});
