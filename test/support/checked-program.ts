import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');

/** Reads the declarations of the CDK without its 300 services, which would take ten seconds. */
export const SMALL_CDK = [join(ROOT, 'node_modules/aws-cdk-lib/index.d.ts'), "export * from './core';\n"] as const;

/**
 * Makes a program of texts by path, under the settings of this project. The texts can import the files beside their
 * paths.
 */
export function checkedProgram(texts: ReadonlyMap<string, string>, more: ts.CompilerOptions = {}): ts.Program {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  // tsc does the same. Half the text of declarations is comments.
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseForTypeErrors;
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => texts.has(file) || fileExists(file);
  host.readFile = (file) => texts.get(file) ?? readFile(file);
  host.getSourceFile = (file, target, ...rest) => {
    const text = texts.get(file);
    return text === undefined ? getSourceFile(file, target, ...rest) : ts.createSourceFile(file, text, target);
  };
  return ts.createProgram([...texts.keys()], { ...options, ...more }, host);
}

/** What the compiler reports about a file, one line for each problem. */
export function problemsOf(program: ts.Program, file: string): string[] {
  return ts
    .getPreEmitDiagnostics(program, program.getSourceFile(file))
    .map(({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}
