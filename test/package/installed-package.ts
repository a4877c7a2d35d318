import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { addDeclarations, buildPackage } from '../support/built-package.js';
import { installed, type PackageSet } from '../support/package-sets.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The packed package, installed in a folder beside the packages of this repository, for projects in that folder. */
export interface InstalledPackage {
  /** The package's folder in the `node_modules` of the projects. */
  readonly path: string;
  readonly tarball: string;
  /** Makes a project of these files, by path. @returns its folder */
  addProject(name: string, files: Readonly<Record<string, string>>): Promise<string>;
  remove(): Promise<void>;
}

interface Wanted {
  /** Whether the package has its declarations, which take the longest to build. */
  readonly declarations: boolean;
  /** A set whose packages the projects have too. */
  readonly tools?: PackageSet;
}

export async function installedPackage({ declarations, tools }: Wanted): Promise<InstalledPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'installed-package-'));
  const modules = join(folder, 'node_modules');
  const path = join(modules, 'single-execution');
  await mkdir(path, { recursive: true });
  if (tools) await linkPackages(join(await installed(tools), 'node_modules'), modules);
  await linkPackages(join(ROOT, 'node_modules'), modules);
  const tarball = await pack(join(folder, 'draft'), declarations);
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', path], folder);

  return {
    path,
    tarball,
    async addProject(name, files) {
      const project = join(folder, name);
      for (const [file, text] of Object.entries(files)) {
        await mkdir(dirname(join(project, file)), { recursive: true });
        await writeFile(join(project, file), text);
      }
      return project;
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

/** @returns the tarball that npm would publish */
async function pack(draft: string, declarations: boolean): Promise<string> {
  await buildPackage(draft);
  const projects = declarations ? ['tsconfig.build.json', 'tsconfig.cdk.json'] : [];
  for (const project of projects) await addDeclarations(draft, project);
  const tarball = await run('npm', ['pack', '--ignore-scripts', '--silent'], draft);
  return join(draft, tarball.trim());
}

/**
 * Runs a command without the variables that the test runner adds to the environment.
 *
 * @returns what it wrote to stdout
 * @throws Error with all that the command wrote, if it fails
 */
export async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, AWS_REGION: 'local', NO_COLOR: '1' };
  try {
    return (await promisify(execFile)(command, args, { cwd, env })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** Links all packages of a folder that the other folder does not have yet. */
async function linkPackages(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) {
    if (name.startsWith('@') || name === '.bin') {
      await mkdir(join(to, name), { recursive: true });
      await linkPackages(join(from, name), join(to, name));
    } else if (!existsSync(join(to, name))) {
      await symlink(join(from, name), join(to, name));
    }
  }
}
