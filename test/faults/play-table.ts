import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inThisRun } from '../support/in-this-run.js';
import { casesOf, type FaultCase } from './cases.js';
import { checkCase } from './check-case.js';
import { CLIENT_NAMES } from './clients.js';
import { OPERATIONS, type Operation } from './operations.js';
import { ageOf, NAME, type Stage, startStage } from './stage.js';
import { STAGES, type StageOptions } from './stages.js';

/** Timeout of a case that is played again and again because the machine stands still. */
const PATIENCE_MS = 240_000;
/** Timeout of the preparation: `better-sqlite3` is compiled once, which takes minutes. */
const PREPARATION_MS = 900_000;

export function playTable(title: string, kind: keyof typeof STAGES): void {
  const stages = STAGES[kind];
  const played = inThisRun(
    stages.filter(({ inTest }) => inTest === 'once'),
    stages.filter(({ inTest }) => inTest === 'once' || inTest === 'none'),
    stages.filter(({ inTest }) => inTest === 'version'),
  );
  describe.each(played.map((options) => [options.title, options] as const))(`${title}: %s`, (_, options) =>
    playStage(options),
  );
}

function playStage(options: StageOptions): void {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage(options);
    await playAll(stage);
  }, PREPARATION_MS);
  afterAll(() => stage?.stop());

  test.runIf('clients' in options)('it is that client', async () => {
    const scene = await stage.scene();
    const { library, admin, wire } = scene;
    await library.lockAdmin(admin).get(NAME);
    await scene.stop();

    const name = wire.client?.() ?? '';
    const ages = Object.entries(CLIENT_NAMES).filter(([, names]) => names.some((one) => name.includes(one)));
    expect(name).toMatch(/aws-sdk-js\/\d|@upstash\/redis@v\d/);
    expect(ages.map(([age]) => age)).toEqual(ageOf(options) === 'newest' ? [] : [ageOf(options)]);
  });

  test.concurrent.each(casesOfRun(options).map((one) => [one.title, one] as const))(
    '%s',
    (_, one) => checkCase(stage, one),
    PATIENCE_MS,
  );
}

function casesOfRun(options: StageOptions): readonly FaultCase[] {
  const all = casesOf(options);
  if (options.inTest !== 'once') return all;
  const [brief, long] = [all.filter(({ ever }) => !ever), all.filter(({ ever }) => ever)];
  return inThisRun(brief, long);
}

/** Plays each operation once without a fault: first answers take long, and Redis must know the scripts. */
async function playAll(stage: Stage): Promise<void> {
  for (const { before, ask } of Object.values<Operation>(OPERATIONS)) {
    const scene = await stage.scene();
    await before?.(scene);
    await ask(scene, 'enough', () => {});
    await scene.stop();
  }
}
