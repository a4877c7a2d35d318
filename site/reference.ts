import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Application } from 'typedoc';
import { ROOT } from './address.js';
import { PAGES } from './pages.js';
import { slug } from './slug.js';

const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as {
  readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly [string]>> };
};

/** Each door of the package: its name, its source and its page. */
export const DOORS = Object.entries(compilerOptions.paths).map(([door, [source]]) => ({
  door,
  source: source.replace(/^\.\/|(\/index)?\.ts$/g, ''),
  page: door.split('/')[1] ?? 'single-execution',
}));

/** Writes one page a door, made of its declarations and their comments. */
export async function writeReference(): Promise<void> {
  const entryPoints = Object.values(compilerOptions.paths).map(([source]) => join(ROOT, source));
  const app = await Application.bootstrapWithPlugins({
    entryPoints,
    tsconfig: join(ROOT, 'tsconfig.json'),
    // `npm run typecheck` has checked them.
    skipErrorChecking: true,
    plugin: ['typedoc-plugin-markdown'],
    outputs: [{ name: 'markdown', path: join(PAGES, 'api') }],
    readme: 'none',
    router: 'module',
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    disableSources: true,
    logLevel: 'Error',
    hidePageHeader: true,
    hideBreadcrumbs: true,
    entryFileName: 'index',
    useCodeBlocks: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    classPropertiesFormat: 'table',
    typeDeclarationFormat: 'table',
    // Each is empty, or the same in each row.
    tableColumnSettings: { hideModifiers: true, hideInherited: true, hideOverrides: true, hideDefaults: true },
    groupOrder: ['Functions', 'Classes', 'Interfaces', 'Type Aliases', 'Variables'],
    sanitizeComments: true,
    disableGit: true,
  } as Parameters<typeof Application.bootstrapWithPlugins>[0]);
  // The doors and what they import; tsconfig.json names tests, benchmarks and more.
  app.options.setCompilerOptions(entryPoints, app.options.getCompilerOptions(app.logger), undefined);
  const project = await app.convert();
  if (!project) throw new Error('the reference cannot be made: TypeDoc has found no declarations');
  // TypeDoc names a module by its source, and makes its address of that name.
  for (const module of project.children ?? []) {
    const door = DOORS.find(({ source }) => source === module.name);
    if (!door) throw new Error(`${module.name} is no door of tsconfig.json`);
    module.name = door.page;
  }
  await app.generateOutputs(project);
  const rows = DOORS.map(({ door, page }) => {
    const file = join(PAGES, `api/${page}.md`);
    const text = tidied(readFileSync(file, 'utf8'));
    const links = namesIn(text).map((name) => `[\`${name}\`](${page}.md#${slug(name)})`);
    writeFileSync(file, text.replace(/^# .*$/m, `# ${door}\n\n${links.join(', ')}, and their types.`));
    return `| [\`${door}\`](${page}.md) | ${links.join(', ')} |`;
  });
  const head = '| entry point | functions and classes |\n|---|---|';
  writeFileSync(join(PAGES, 'api/index.md'), `${INTRODUCTION}\n\n${head}\n${rows.join('\n')}\n`);
}

const INTRODUCTION = `# Reference by entry point

Each entry point of the package is imported by itself. Its page has all that it exports.`;

/** What TypeDoc writes, with one heading for all errors, and without what each class inherits from Error. */
const tidied = (text: string) =>
  text.replace(/\n#+ (Overrides|Inherited from)\n\n.*\n/g, '').replace(/(?<=\n#+ Throws\n\n[^#]*)\n#+ Throws\n/g, '');

/** Headings of the functions and classes of a page. */
function namesIn(text: string): string[] {
  const parts = text.split(/^## /m).filter((part) => /^(Functions|Classes)\n/.test(part));
  return parts.flatMap((part) => [...part.matchAll(/^### (.+)$/gm)].map(([, name = '']) => name));
}
