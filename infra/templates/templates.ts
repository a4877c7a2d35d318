import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { samTemplate } from './sam.js';
import { serverlessService } from './serverless.js';
import { sstConfig } from './sst.js';
import { synthesise } from './synthesise.js';
import { terraformModule } from './terraform.js';

const ROOT = join(import.meta.dirname, '../..');

/** The text of each template by its file in this folder, from what the construct synthesises now. */
export function templates(): Readonly<Record<string, string>> {
  const deployment = synthesise();
  return {
    'sam/template.yaml': samTemplate(deployment),
    'serverless/serverless.yml': serverlessService(deployment),
    'sst/sst.config.ts': formatted(sstConfig(deployment)),
    'terraform/main.tf': terraformModule(deployment),
  };
}

function formatted(code: string): string {
  const biome = join(ROOT, 'node_modules/.bin/biome');
  return execFileSync(biome, ['format', '--stdin-file-path=sst.config.ts'], {
    cwd: ROOT,
    input: code,
    encoding: 'utf8',
  });
}
