import { executeWithLock } from 'single-execution';
import { expect, onTestFinished, test } from 'vitest';
import { startEngine } from '../../demo/engines.js';
import { storeOf } from '../../demo/stores.js';
import type { CleanUps } from '../support/play/command.js';

test('over PGlite a tick of the demo runs once', async () => {
  const cleanUps: CleanUps = [];
  onTestFinished(async () => {
    for (const end of cleanUps.reverse()) await end();
  });
  const store = storeOf(await startEngine('postgres', cleanUps));
  const options = { name: 'send-digest', store, lockAtMostFor: '1m', tick: Date.now(), observers: [] } as const;

  expect(await executeWithLock(() => 'sent', options)).toMatchObject({ status: 'executed', value: 'sent' });
  expect(await executeWithLock(() => 'sent', options)).toMatchObject({ reason: 'already-executed' });
});
