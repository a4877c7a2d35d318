import { lockAdmin } from 'single-execution/admin';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BackendStage, startBackends, warmUp } from './backends/stage.js';
import { BACKENDS, backendOf, KINDS, type Kind, kindsWith, openStore } from './backends.js';
import { DOORS } from './doors.js';
import { soundRecord } from './hostile-records.js';
import { innerCli } from './inner-cli.js';
import { call, claim, grant } from './one-run.js';

/*
 * What each entry of the list of backends says is true.
 */

let stage: BackendStage;
beforeAll(async () => {
  stage = await startBackends(...KINDS);
});
afterAll(() => stage?.stop());

test('each kind is a door of the package', () => {
  expect(KINDS.filter((kind) => !(`single-execution/${kind}` in DOORS))).toEqual([]);
});

test('what an engine lacks has a reason', () => {
  const reasons = Object.values(BACKENDS).flatMap(({ lacks }) => Object.values(lacks));
  expect(reasons.filter((reason) => reason.length < 10)).toEqual([]);
});

describe.each(KINDS)('%s', (kind) => {
  test('its place is empty, and a prefix keeps locks apart', async () => {
    const { store, admin, prefixed } = stage.on(kind);
    expect(await admin.list(call())).toEqual([]);

    await grant(store, claim({ name: 'digest' }));
    await grant(prefixed('other:').store, claim({ name: 'digest' }));
    expect((await prefixed('other:').admin.list(call())).map(({ name }) => name)).toEqual(['digest']);
  });

  test('a record is written directly, and replaces what was there', async () => {
    const { admin, put, engine, address } = stage.on(kind);
    await put('raw', new Map([...soundRecord(true), ['extra', 1]]));
    await put('raw', soundRecord(true));
    expect(await lockAdmin(admin).get('raw')).toMatchObject({ state: 'held', lockedBy: 'the holder' });
    expect((await admin.get('raw', call()))?.item).not.toHaveProperty('extra');

    await engine.harness(address, stage.on(kind)).patch?.('raw', { lockedBy: 'somebody' });
    expect(await lockAdmin(admin).get('raw')).toMatchObject({ lockedBy: 'somebody' });
  });

  test('the requests of a run and of a skip are counted', async () => {
    let sent = 0;
    const { store, close } = await openStore(JSON.parse(JSON.stringify(stage.on(kind).address)), () => {
      sent++;
      return () => void sent--;
    });
    const sentBy = async (ask: () => Promise<unknown>) => {
      const before = sent;
      await ask();
      return sent - before;
    };
    const { requests } = backendOf(kind);
    // Redis learns the scripts, which are not counted.
    const first = await sentBy(() => warmUp(store));
    expect({
      first,
      run: await sentBy(() => warmUp(store)),
      skip: await sentBy(() => store.acquire(claim({ name: 'digest' }), call())),
    }).toEqual({ first: requests.run, ...requests });
    close();
  });
});

test.each(kindsWith('tool'))('the command-line tool finds %s by the options of its entry', async (kind) => {
  const { engine, address, store } = stage.on(kind);
  await grant(store, claim({ name: 'shown' }));
  const { code, stdout } = await innerCli(['show', 'shown', ...engine.args(address)], {
    ...process.env,
    ...engine.env,
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('held') });
});

test.each(kindsWith('network'))(
  'a request over the network of %s is struck, and its store tries again',
  async (kind) => {
    const { engine, address } = stage.on(kind);
    const [fault = ''] = backendOf(kind).faults;
    const struck = [fault];
    const network = await engine.network?.(() => struck.pop());
    const { store, close } = await openStore({ ...address, url: network?.url ?? '' });
    await grant(store, claim({ name: 'struck' }));
    expect(struck).toEqual([]);
    close();
    await network?.stop();
  },
);

test('a kind that was not started is named', () => {
  expect(() => stage.on('oracle' as Kind)).toThrow('oracle was not started');
});
