import { readdir } from 'node:fs/promises';
import { camelCase, extensionOf, importExtension, type Job, jobFiles, variable, workOf } from './job-files.js';
import type { Project } from './project.js';

const HOST = 'host.json';
/** The longest run, for `host.json` and for the lock. */
const LONGEST = { functionTimeout: '00:05:00', maxDuration: '5m' };
const TABLE = 'locks';

/** A timer function of Azure, a test of its work, and the settings of the app if it has none. */
export async function azureJob(name: string, project: Project, folder: string): Promise<Job> {
  const { isTypeScript } = project;
  const isFirst = !(await readdir(folder)).includes(HOST);
  const main = mainWith(isTypeScript ? 'dist/*.timer.js' : '*.timer.mjs', project.main);
  return {
    files: {
      ...jobFiles(name, project, {
        testImports: [
          "import { isSkipped } from 'single-execution';",
          "import { withSingleExecution } from 'single-execution/azure';",
          "import { memoryStore } from 'single-execution/memory';",
        ],
        setUp: `  const tick = new Date('2026-11-21T02:00:00Z');
  const timer = { scheduleStatus: { next: tick.toISOString() } };
  const context = { functionName: '${camelCase(name)}', invocationId: 'test' };
  const deliver = withSingleExecution((_timer, _context, execution) => ${workOf(name)}(execution.tick), {
    name: '${name}',
    store: memoryStore(),
    lockAtMostFor: '1m',
    observers: [],
  });`,
        delivery: 'deliver(timer, context)',
        tick: 'tick',
      }),
      [`${name}.timer.${extensionOf(project)}`]: timerFunction(name, project),
      ...(isFirst && { [HOST]: hostSettings() }),
    },
    needed: ['@azure/functions', '@azure/data-tables'],
    steps: {
      'make the table': `npx single-execution table create --azure-table ${TABLE}`,
      ...(main !== undefined && { 'load it': `npm pkg set main='${main}'` }),
      'start it': `${isTypeScript ? 'npx tsc --rootDir . --outDir dist && ' : ''}func start`,
    },
  };
}

/** The `main` of package.json, by which Azure finds functions, with another pattern; undefined if it has that already. */
function mainWith(pattern: string, main: string | undefined): string | undefined {
  if (main?.includes(pattern)) return undefined;
  return main ? `{${main},${pattern}}` : pattern;
}

const hostSettings = (): string =>
  `${JSON.stringify({ version: '2.0', functionTimeout: LONGEST.functionTimeout }, undefined, 2)}\n`;

function timerFunction(name: string, project: Project): string {
  const { isTypeScript } = project;
  return `import { TableClient } from '@azure/data-tables';
import { app } from '@azure/functions';
import { azureTableStore, withSingleExecution } from 'single-execution/azure';
import { cron } from 'single-execution/schedule';
import { ${workOf(name)} } from './${name}${importExtension(project)}';

// The storage account of the function app. The lock tries again itself, so the client must not.
const client = TableClient.fromConnectionString(${variable('AzureWebJobsStorage', isTypeScript)} ?? '', '${TABLE}', {
  retryOptions: { maxRetries: 0 },
});

app.timer('${camelCase(name)}', {
  schedule: '0 0 2 * * *',
  handler: withSingleExecution(async (_timer, context, { tick }) => context.log(await ${workOf(name)}(tick)), {
    name: '${name}',
    store: azureTableStore({ client }),
    // The functionTimeout of host.json: Azure ends a run then.
    maxDuration: '${LONGEST.maxDuration}',
    // Kept with the lock, so that \`npx single-execution check\` notices when the job has stopped.
    schedule: cron('0 2 * * *'),
  }),
});
`;
}
