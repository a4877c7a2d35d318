import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { azureHost } from './azure-host.js';

/*
 * A program: a worker of Azure Functions with one file of functions. It calls a timer function for each occurrence.
 * Arguments: the file, the name of the function, and the occurrences.
 */

const say = (line: string) => void process.stdout.write(`${line}\n`);
const [file = '', name = '', ...occurrences] = process.argv.slice(2);
const host = azureHost(createRequire(file), '@azure/functions', say);
await import(pathToFileURL(file).href);
for (const next of occurrences) {
  const timer = { Schedule: {}, ScheduleStatus: { Next: next }, IsPastDue: false };
  const { status } = Object(await host.invoke(name, { timer })) as { readonly status?: string };
  if (status !== undefined) say(status);
}
