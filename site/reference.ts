import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Application } from 'typedoc';
import { ROOT } from './address.js';
import { PAGES } from './pages.js';

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
  const app = await Application.bootstrapWithPlugins({
    entryPoints: Object.values(compilerOptions.paths).map(([source]) => join(ROOT, source)),
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
    groupOrder: ['Functions', 'Classes', 'Interfaces', 'Type Aliases', 'Variables'],
    sanitizeComments: true,
    disableGit: true,
  } as Parameters<typeof Application.bootstrapWithPlugins>[0]);
  const project = await app.convert();
  if (!project) throw new Error('the reference cannot be made: TypeDoc has found no declarations');
  project.name = 'Reference';
  // TypeDoc names a module by its source, and makes its address of that name.
  for (const module of project.children ?? []) {
    const door = DOORS.find(({ source }) => source === module.name);
    if (!door) throw new Error(`${module.name} is no door of tsconfig.json`);
    module.name = door.page;
  }
  await app.generateOutputs(project);
  for (const { door, page } of DOORS) {
    const file = join(PAGES, `api/${page}.md`);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^# .*$/m, `# ${door}`));
  }
}
