import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { casesOf } from './cases.js';
import { checkCase } from './check-case.js';
import { CLIENT_NAMES } from './clients.js';
import { OPERATIONS, type Operation } from './operations.js';
import { NAME, type Stage, startStage } from './stage.js';
import { STAGES } from './stages.js';

/** Timeout of the preparation, and of a case that is played again and again because the machine stands still. */
const PATIENCE_MS = 90_000;

/** Plays the whole fault table on one stage. */
export function playTable(title: string, name: keyof typeof STAGES): void {
  const options = STAGES[name];

  describe(title, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await startStage(options);
      await playAll(stage);
    }, PATIENCE_MS);
    afterAll(() => stage.stop());

    test('it is that client', async () => {
      const scene = await stage.scene();
      const { library, admin } = scene;
      await library.lockAdmin(admin).get(NAME);
      await scene.stop();

      const [request] = scene.proxy.requests();
      const { 'user-agent': agent, 'upstash-telemetry-sdk': telemetry } = request?.headers ?? {};
      const ages = Object.entries(CLIENT_NAMES).filter(([, names]) =>
        names.some((name) => `${agent} ${telemetry}`.includes(name)),
      );
      expect(`${agent} ${telemetry}`).toMatch(/aws-sdk-js\/\d|@upstash\/redis@v\d/);
      expect(ages.map(([age]) => age)).toEqual(options.clients === 'newest' ? [] : [options.clients]);
    });

    const cases = casesOf(options).map((one) => [one.title, one] as const);
    test.concurrent.each(cases)('%s', (_, one) => checkCase(stage, one), PATIENCE_MS);
  });
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
