import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { transform } from 'esbuild';
import { lockAdmin } from 'single-execution/admin';
import { redisAdminStore } from 'single-execution/redis';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { examplesOf } from '../docs/examples.js';
import { type ReadersProject, readersProject, type Started } from '../docs/readers-project.js';
import { clearedEngine } from '../support/backends/stage.js';
import { gate } from '../support/gate.js';
import { closed, listening } from '../support/loopback.js';
import { installed } from '../support/package-sets.js';

/*
 * The programs of docs/platforms/google.md, unchanged, as Google runs them: Node's own server on Cloud Run, and the
 * framework of functions, with the real firebase-functions. The test sends what Cloud Scheduler and Pub/Sub send, as
 * Google documents it.
 */

const SURROUNDINGS = join(import.meta.dirname, 'surroundings.mjs');
const FRAMEWORK = '@google-cloud/functions-framework';
const MINUTE_MS = 60_000;
const TICK = '2026-11-26T02:00:00Z';
const [SUCCEEDED, FAILED] = ['succeeded 2026-11-26T02:00:00.000Z', 'failed 2026-11-26T02:00:00.000Z'];

const { client, env } = await clearedEngine('upstash');
const admin = lockAdmin(redisAdminStore({ client }));

/** How the work of handlers ends, in this order. Later work is done at once. */
let endings: (() => Promise<'done' | 'broken'>)[];
const work = createServer(async (_request, response) => {
  if ((await endings.shift()?.()) === 'broken') response.destroy();
  else response.end('done');
});
const broken = async () => 'broken' as const;

let project: ReadersProject;
let variables: Readonly<Record<string, string>>;
beforeAll(async () => {
  project = await readersProject(
    [FRAMEWORK, 'firebase-functions', 'firebase-functions-4'],
    await installed('test/firebase'),
  );
  variables = { ...env, GCLOUD_PROJECT: 'project', WORK_URL: `http://127.0.0.1:${await listening(work)}/` };
}, 300_000);
afterAll(async () => {
  await project?.remove();
  await closed(work);
});
beforeEach(() => {
  endings = [];
});

/** The block of the page that has this text, as JavaScript. */
async function blockOf(language: 'ts' | 'js', part: string): Promise<string> {
  const [block, ...more] = examplesOf('docs/platforms/google.md', language).filter(({ code }) => code.includes(part));
  expect([block === undefined, more.length], part).toEqual([false, 0]);
  return (await transform(block?.code ?? '', { loader: 'ts' })).code;
}

interface Program {
  readonly url: string;
  readonly child: Started['child'];
}

/** Starts a program on any free port, and resolves when it listens. */
async function started(args: readonly string[]): Promise<Program> {
  const { child, lines } = project.start(['--import', SURROUNDINGS, ...args], { ...variables, PORT: '0' });
  let port: string | undefined;
  while (port === undefined) {
    if (child.exitCode !== null) throw new Error(lines().join('\n'));
    await sleep(20);
    [, port] = /^listens on port (\d+)$/m.exec(lines().join('\n')) ?? [];
  }
  return { url: `http://127.0.0.1:${port}/`, child };
}

/** Starts a function by Google's framework. */
async function framework(file: string, signature = 'http'): Promise<Program> {
  await project.write('package.json', JSON.stringify({ type: 'module', main: file }));
  return started([
    `node_modules/${FRAMEWORK}/build/src/main.js`,
    '--target=sendDigest',
    `--signature-type=${signature}`,
  ]);
}

/** Writes the page's handler for a server, and the program that serves it. */
async function served(file: string, part: string): Promise<string> {
  await project.write('digest.js', await blockOf('ts', 'single-execution/http'));
  await project.write(file, await blockOf('js', part));
  return file;
}

async function firebase(name: string): Promise<Program> {
  const parts = [await blockOf('js', 'onSchedule('), await blockOf('ts', 'scheduleTime')];
  await project.write(`${name}.js`, parts.join('\n').replace(/(?<=')firebase-functions(?=\/)/, name));
  return framework(`${name}.js`);
}

const PROGRAMS: readonly (readonly [string, () => Promise<Program>])[] = [
  ["Node's own server on Cloud Run", async () => started([await served('server.js', 'createServer(')])],
  ['a function of Cloud Run', async () => framework(await served('function.js', FRAMEWORK))],
  ['onSchedule of firebase-functions 7.4.0', () => firebase('firebase-functions')],
  ['onSchedule of firebase-functions 4.0.0', () => firebase('firebase-functions-4')],
];

/** Sends what Cloud Scheduler sends. @param time the scheduled time; absent for Force run */
async function deliver({ url }: Program, time?: string): Promise<number> {
  const headers = {
    'user-agent': 'Google-Cloud-Scheduler',
    'x-cloudscheduler': 'true',
    'x-cloudscheduler-jobname': 'send-digest',
    ...(time !== undefined && { 'x-cloudscheduler-scheduletime': time }),
  };
  return (await fetch(url, { method: 'POST', headers })).status;
}

/** The runs so far, oldest first: their ticks, and how they ended. */
const runs = async () =>
  (await admin.runs('send-digest')).map(({ status, tick, isManual }) =>
    isManual ? `${status} by hand` : `${status} ${tick?.toISOString()}`,
  );

describe.each(PROGRAMS)('row 185: %s', (_, start) => {
  let program: Program;
  beforeAll(async () => {
    program = await start();
  }, 120_000);
  afterAll(() => program?.child.kill('SIGKILL'));

  test('row 185: runs once for a tick, and answers its second delivery with a success', async () => {
    expect([await deliver(program, TICK), await deliver(program, TICK)]).toEqual([200, 200]);
    expect(await runs()).toEqual([SUCCEEDED]);
  });

  test('row 185: F198 answers a failed run so that it is retried, and goes on', async () => {
    endings = [broken, broken];

    const answers: number[] = [];
    for (let n = 0; n < 4; n += 1) answers.push(await deliver(program, TICK));
    expect(answers).toEqual([500, 500, 200, 200]);
    expect(await runs()).toEqual([SUCCEEDED, FAILED, FAILED]);
    expect(program.child.exitCode).toBe(null);
  });

  test('row 185: answers a delivery with a success while the first one works', async () => {
    const [begun, ended] = [gate(), gate()];
    endings = [
      async () => {
        begun.open();
        await ended.opened;
        return 'done';
      },
    ];
    const first = deliver(program, TICK);
    await Promise.race([begun.opened, first]);
    expect([await deliver(program, TICK), await deliver(program)]).toEqual([200, 200]);
    ended.open();

    expect(await first).toBe(200);
    expect(await runs()).toEqual([SUCCEEDED]);
  });

  test('row 185: runs by hand by Force run, which takes the place of no tick', async () => {
    const next = new Date(Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS + 600 * MINUTE_MS).toISOString();

    expect([await deliver(program, next), await deliver(program)]).toEqual([200, 200]);
    expect(await deliver(program, TICK)).toBe(200);
    expect(await runs()).toEqual([SUCCEEDED, 'succeeded by hand', 'succeeded by hand']);
  });

  // 02:30 in Berlin does not exist on 29 March 2026. Google does not say whether it calls at 03:00, at 03:30 or not at all.
  test.each([
    ['at 03:00', ['2026-03-29T01:00:00Z']],
    ['at 03:30, said in the time zone', ['2026-03-29T03:30:00+02:00', '2026-03-29T01:30:00Z']],
    ['not at all', []],
  ])('row 185: runs once a night when the missing hour of spring is called %s', async (_, night) => {
    const times = ['2026-03-28T01:30:00Z', ...night, '2026-03-30T00:30:00Z'];
    for (const time of times) expect([await deliver(program, time), await deliver(program, time)]).toEqual([200, 200]);

    expect(await runs()).toHaveLength(2 + Math.min(night.length, 1));
  });
});

test("row 185: pubsub.schedule().onRun() of firebase-functions' first generation runs once for the tick that is due", async () => {
  const parts = [await blockOf('js', 'firebase-functions/v1'), await blockOf('ts', "tick: 'nearest'")];
  await project.write('first.js', parts.join('\n'));
  const { url, child } = await framework('first.js', 'event');
  onTestFinished(() => void child.kill('SIGKILL'));
  const published = async (eventId: string) => {
    const type = 'type.googleapis.com/google.pubsub.v1.PubsubMessage';
    const name = 'projects/project/topics/firebase-schedule-sendDigest';
    const resource = { service: 'pubsub.googleapis.com', name, type };
    const timestamp = new Date().toISOString();
    const context = { eventId, timestamp, eventType: 'google.pubsub.topic.publish', resource };
    const data = { '@type': type, attributes: { scheduled: 'true' }, data: null };
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    return (await fetch(url, { ...init, body: JSON.stringify({ context, data }) })).ok;
  };
  endings = [broken];

  // A message, its retry, its second delivery, and another message for the same time.
  const answers: boolean[] = [];
  for (const eventId of ['1', '1', '1', '2']) answers.push(await published(eventId));
  expect(answers).toEqual([false, true, true, true]);
  expect(await runs()).toEqual([
    expect.stringMatching(/^succeeded .*T0[01]:00:00.000Z$/),
    expect.stringMatching(/^failed .*T0[01]:00:00.000Z$/),
  ]);
});
