import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 10;

/**
 * Prints the slowest files at the end of a run of many files. A file's time includes its tests and the loading of its
 * modules.
 */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= SHOWN) return;
    const files = modules.map((module) => {
      const { collectDuration, setupDuration, duration } = module.diagnostic();
      const file = relative(module.project.config.root, module.moduleId);
      return { file, ms: collectDuration + setupDuration + duration };
    });
    const slowest = files.sort((a, b) => b.ms - a.ms).slice(0, SHOWN);
    const lines = slowest.map(({ file, ms }) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${file}`);
    process.stdout.write(`${['', ` The ${SHOWN} slowest of ${files.length} files:`, ...lines, ''].join('\n')}\n`);
  }
}
