import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNT as ACCOUNT_OF_AZURITE, type Azurite, startAzurite } from '../support/azurite.js';
import { type BuiltCli, builtCli } from '../support/built-cli.js';
import { listening } from '../support/loopback.js';
import { installed } from '../support/package-sets.js';
import { TEST_CERTIFICATE, TEST_KEY } from '../support/test-certificates.js';

/*
 * The tool logs in with the real @azure/identity, as in an app of Azure: a managed identity, whose server is played here.
 * Azurite reads the token's claims, but not its signature.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ACCOUNT = 'AZURE_STORAGE_ACCOUNT';
let azurite: Azurite;
let identity: Server;
let folder: string;
let cli: BuiltCli;
let bare: BuiltCli;
let env: Record<string, string>;
let resources: (string | null)[];

/** A token as Azure writes it, without a signature. */
function token(): string {
  const seconds = Math.floor(Date.now() / 1_000);
  const claims = {
    aud: 'https://storage.azure.com',
    iss: 'https://sts.windows.net/ab1f708d-50f6-404c-a006-d71b2ac7a606/',
    ...{ iat: seconds - 60, nbf: seconds - 60, exp: seconds + 3_600 },
  };
  return [{ alg: 'none' }, claims, {}].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
}

/** Installs packages beside a tool. @param folders their folders, by their names */
async function beside(tool: BuiltCli, folders: Readonly<Record<string, string>>): Promise<BuiltCli> {
  const scope = join(tool.folder, 'node_modules/@azure');
  await mkdir(scope, { recursive: true });
  for (const [name, at] of Object.entries(folders))
    await symlink(join(at, 'node_modules/@azure', name), join(scope, name));
  return tool;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'azure-login-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await Promise.all([writeFile(cert, TEST_CERTIFICATE), writeFile(key, TEST_KEY)]);
  identity = createServer(({ url, headers }, response) => {
    const { searchParams } = new URL(url ?? '', 'http://identity');
    resources.push(headers['x-identity-header'] === 'known' ? searchParams.get('resource') : null);
    response.setHeader('content-type', 'application/json');
    const expires_on = String(Math.floor(Date.now() / 1_000) + 3_600);
    response.end(JSON.stringify({ access_token: token(), expires_on, token_type: 'Bearer', client_id: 'an app' }));
  });
  const [others, port] = await Promise.all([installed('test/others'), listening(identity)]);
  [azurite, cli, bare] = await Promise.all([
    startAzurite({ cert, key }),
    builtCli([]).then((tool) => beside(tool, { 'data-tables': ROOT, identity: others })),
    builtCli([]).then((tool) => beside(tool, { 'data-tables': ROOT })),
  ]);
  env = {
    ...{ [ACCOUNT]: azurite.url, NODE_EXTRA_CA_CERTS: cert },
    ...{ IDENTITY_ENDPOINT: `http://127.0.0.1:${port}/msi/token`, IDENTITY_HEADER: 'known' },
  };
  resources = [];
});
afterAll(async () => {
  identity?.close();
  await Promise.all([azurite?.stop(), cli?.remove(), bare?.remove(), rm(folder, { recursive: true })]);
});

describe('row 188: without a key, the tool logs in to Azure with @azure/identity', () => {
  test('every command works by the token', async () => {
    const ask = (...args: readonly string[]) => cli.run([...args, '--azure-table', 'locks'], env);
    expect(await ask('table', 'create')).toMatchObject({ code: 0, stderr: '' });
    const run = ['run', '--name', 'job', '--azure-table', 'locks', '--', 'true'];
    expect(await cli.run(run, env)).toMatchObject({ code: 0 });
    expect(await ask('show', 'job')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^state +free$/m) });
    expect(await ask('doctor')).toMatchObject({ code: 0, stdout: expect.stringContaining('may read and write') });

    expect(new Set(resources)).toEqual(new Set(['https://storage.azure.com']));
  });

  test('a package that is missing is named, with why it is needed', async () => {
    const { code, stderr } = await bare.run(['ls', '--azure-table', 'locks'], env);

    expect(code).toBe(1);
    expect(stderr).toBe(
      'single-execution: AZURE_STORAGE_ACCOUNT without AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN needs @azure/identity, which is not installed beside single-execution: npm install @azure/identity\n',
    );
  });

  test('a host where nobody has logged in is told so', async () => {
    const { IDENTITY_ENDPOINT: _, IDENTITY_HEADER: __, ...nobody } = env;
    const { code, stderr } = await cli.run(['ls', '--azure-table', 'locks'], nobody);

    expect(code).toBe(1);
    expect(stderr).toMatch(/failed: the client has no credentials: sign in, .* \(AggregateAuthenticationError\)\n$/);
  });

  test('with an address, a key works, too', async () => {
    const { IDENTITY_ENDPOINT: _, IDENTITY_HEADER: __, ...own } = env;
    const keyed = { ...own, AZURE_STORAGE_KEY: ACCOUNT_OF_AZURITE.key };

    expect(await cli.run(['table', 'create', '--azure-table', 'keyed'], keyed)).toMatchObject({ code: 0 });
    expect(await cli.run(['ls', '--azure-table', 'keyed'], keyed)).toMatchObject({ code: 0, stderr: 'no locks\n' });
  });

  test.each([
    ['http://127.0.0.1:1/x', 'is an address with http, over which @azure/identity sends no login: use https'],
    ['https://x.example/?sig=hunter2', 'is more than an address: pass a key in AZURE_STORAGE_KEY'],
    ['https://user:hunter2@x.example', 'is more than an address: pass a key in AZURE_STORAGE_KEY'],
    ['hunter2!', 'is no name of an account: pass 3 to 24 small letters and digits, or its address'],
  ])('%s is refused, and not shown', async (account, why) => {
    const { code, stderr } = await cli.run(['ls', '--azure-table', 'locks'], { ...env, [ACCOUNT]: account });

    expect([code, stderr.split(', and')[0]?.trim()]).toEqual([2, expect.stringContaining(why)]);
    expect(stderr).not.toContain('hunter2');
  });
});
