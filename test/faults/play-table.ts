/// <reference types="vitest/importMeta" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inThisRun } from '../support/in-this-run.js';
import { casesOf, type FaultCase } from './cases.js';
import { checkCase } from './check-case.js';
import { CLIENT_NAMES } from './clients.js';
import { OPERATIONS, type Operation } from './operations.js';
import { NAME, type Stage, startStage } from './stage.js';
import type { Client, Way } from './way.js';

/** Timeout of a case, longer than it may be played again and again. */
const LONGEST_MS = 240_000;
/** Timeout of the preparation: `better-sqlite3` is compiled once, which takes minutes. */
const PREPARATION_MS = 900_000;

/**
 * Plays the table: in `npm test` the cases of the first client in which a fault strikes one request, which wait less; in
 * the proof its other cases, or all if the test is one of the proof only; in `npm run test:versions` further clients.
 *
 * @param meta of the test file that holds the way. Nothing is played if another test reads its value
 */
export function playTable(title: string, way: Way, { vitest, filename }: ImportMeta): void {
  if (vitest === undefined) return;
  const [first, ...further] = way.clients;
  const all = casesOf(way, first);
  const [brief, long] = [all.filter(({ ever }) => !ever), all.filter(({ ever }) => ever)];
  const played = inThisRun<readonly [Client, readonly FaultCase[]]>(
    [[first, brief]],
    [[first, filename.endsWith('.proof.test.ts') ? all : long]],
    further.map((client) => [client, casesOf(way, client)]),
  );
  describe.each(played.map(([client, cases]) => [client.title, client, cases] as const))(
    `${title}: %s`,
    (_, client, cases) => playClient(way, client, cases),
  );
}

function playClient(way: Way, client: Client, cases: readonly FaultCase[]): void {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage(way, client);
    await playAll(stage);
  }, PREPARATION_MS);
  afterAll(() => stage?.stop());

  if (client.age) {
    test('it is that client', async () => {
      const scene = await stage.scene();
      const { library, admin, wire } = scene;
      await library.lockAdmin(admin).get(NAME);
      await scene.stop();

      const name = wire.client?.() ?? '';
      const ages = Object.entries(CLIENT_NAMES).filter(([, names]) => names.some((one) => name.includes(one)));
      expect(name).toMatch(/aws-sdk-js\/\d|@upstash\/redis@v\d/);
      expect(ages.map(([age]) => age)).toEqual(client.age === 'newest' ? [] : [client.age]);
    });
  }

  test.concurrent.each(cases.map((one) => [one.title, one] as const))(
    '%s',
    (_, one) => checkCase(stage, one),
    LONGEST_MS,
  );
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
