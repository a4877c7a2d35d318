import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    cdkAppsFolder: string;
  }
}

/** A folder for the apps that tests synthesise; it is removed at the end of the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'cdk-apps-'));
  project.provide('cdkAppsFolder', folder);
  return () => rm(folder, { recursive: true });
}
