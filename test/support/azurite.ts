import { join } from 'node:path';
import { HOST, type RestartedServer, startServer } from './kept-server.js';
import { installed } from './package-sets.js';

const START_MS = 60_000;
/** The account of Azurite, which its documentation publishes. */
export const ACCOUNT = {
  name: 'devstoreaccount1',
  key: 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
};

export interface Azurite extends RestartedServer {
  /** The address of the account. */
  readonly url: string;
}

/** A certificate for `localhost`, with which the emulator serves https and takes the tokens of Azure's logins. */
export interface AzuriteCertificate {
  /** The names of files. */
  readonly cert: string;
  readonly key: string;
}

/** Starts Microsoft's emulator of Azure Table Storage on a free port. It ends with `stop()` or with this process. */
export async function startAzurite(secured?: AzuriteCertificate): Promise<Azurite> {
  const set = await installed('test/azurite');
  const program = ['--require', join(set, 'keep-idle.cjs'), join(set, 'node_modules/azurite/dist/src/table/main.js')];
  const server = await startServer({
    name: 'azurite',
    ready: 'successfully started',
    startMs: START_MS,
    plan: (folder, port) => ({
      // Saves what it has in memory.
      downSignal: 'SIGINT',
      command: [
        ...[process.execPath, ...program, '--disableTelemetry', '--skipApiVersionCheck', '--silent'],
        ...['--location', folder, '--tableHost', HOST, '--tablePort', port],
        ...(secured ? ['--oauth', 'basic', '--cert', secured.cert, '--key', secured.key] : []),
      ],
    }),
  });
  const origin = secured ? 'https://localhost' : `http://${HOST}`;
  return { ...server, url: `${origin}:${server.port}/${ACCOUNT.name}` };
}

/** The connection string of an account at an address. */
export const connectionOf = (url: string): string =>
  `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT.name};AccountKey=${ACCOUNT.key};TableEndpoint=${url};`;

/** The URL of an account, with the account's name and key in it. */
export const addressOf = (url: string): string =>
  url.replace('//', `//${ACCOUNT.name}:${encodeURIComponent(ACCOUNT.key)}@`);
