import { infraFiles } from './infra-files.js';
import { type Files, type Job, jobFiles, type Tested, variable, workOf } from './job-files.js';
import type { Project } from './project.js';

const NEEDED_BY: Readonly<Record<Project['infra'], readonly string[]>> = {
  cdk: ['aws-cdk-lib', 'constructs', 'esbuild'],
  sam: ['esbuild'],
  terraform: ['esbuild'],
  serverless: ['osls', 'esbuild'],
  sst: ['sst'],
};

/** A handler of AWS Lambda with its locks in DynamoDB, a test of it, and what deploys it. */
export async function lambdaJob(name: string, project: Project, folder: string): Promise<Job> {
  const { files, toAdd } = await infraFiles(name, project, folder);
  return {
    files: { ...handlerFiles(name, project), ...files },
    needed: ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', ...NEEDED_BY[project.infra]],
    steps: toAdd === undefined ? {} : { deploy: `add this line to run() in sst.config.ts: ${toAdd}` },
    ...(toAdd !== undefined && { toAdd }),
  };
}

/** The handler and its test. */
export function handlerFiles(name: string, project: Tested): Files {
  const work = workOf(name);
  const fromEnvironment = (variableName: string) => variable(variableName, project.isTypeScript);
  return jobFiles(name, project, {
    head: `import { withSingleExecution } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { scheduleFromEnvironment } from 'single-execution/schedule';

`,
    tail: `
export const handler = withSingleExecution(async (_event, _context, { tick }) => ${work}(tick), {
  name: '${name}',
  store: dynamoDBStore({ tableName: ${fromEnvironment('LOCK_TABLE')} ?? 'locks' }),
  // Kept with the lock, so that \`npx single-execution check\` notices when the job has stopped. A test has none.
  ...(${fromEnvironment('SINGLE_EXECUTION_SCHEDULE')} && { schedule: scheduleFromEnvironment() }),
});
`,
    testImports: [
      "import { isSkipped, withSingleExecution } from 'single-execution';",
      "import { memoryStore } from 'single-execution/memory';",
      "import { lambdaContext, scheduledEvent } from 'single-execution/testing';",
    ],
    setUp: `  const handler = withSingleExecution(async (_event, _context, { tick }) => ${work}(tick), {
    name: '${name}',
    store: memoryStore(),
    observers: [],
  });
  const event = scheduledEvent();`,
    delivery: 'handler(event, lambdaContext())',
    tick: 'new Date(event.time)',
  });
}
