import { redirectPorts, stayHere } from '../stay-here.js';
import { obey } from './control.js';

/* What an example finds when it is loaded: its server on the usual port, and no network. Only the driver writes stdout. */

redirectPorts(JSON.parse(process.env['PORTS'] ?? '{}'));
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text: string | Uint8Array) =>
  String(text).startsWith('{"said"') ? write(text) : process.stderr.write(text);
stayHere(() => Response.json({ basisPoints: 120 }));
obey();

/** Whether a scheduler in the example calls its handler. Its import also keeps this file in the bundle. */
export const isScheduled = process.env['SCHEDULED'] !== undefined;
