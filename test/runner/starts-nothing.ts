import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What starts a process or a server, or reaches one: a module of Node, a package, or the URL that a global setup hands over. */
const STARTER =
  /from '(node:(child_process|cluster|dgram|http|http2|https|net|tls|worker_threads)|execa-\d)'|dynamoDBLocalEndpoint/;
const RELATIVE = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** Whether no file that a test loads can start a process or a server, by the imports that it reaches. */
export function startsNothing(test: string, read: (path: string) => string | undefined = textOf): boolean {
  const files = new Set([test]);
  for (const file of files) {
    const text = read(file) ?? '';
    if (STARTER.test(text)) return false;
    for (const [, path = ''] of text.matchAll(RELATIVE)) files.add(join(dirname(file), path).replace(/\.js$/, '.ts'));
  }
  return true;
}

const textOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
