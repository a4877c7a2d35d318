import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { synthesise } from './read/synthesise.js';
import { samTemplate } from './render/sam.js';
import { serverlessService } from './render/serverless.js';
import { sstConfig } from './render/sst.js';
import { terraformModule } from './render/terraform.js';

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
