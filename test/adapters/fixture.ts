import { readFileSync } from 'node:fs';

/** A fresh copy of a recorded event in test/adapters/fixtures. */
export function fixture(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), 'utf8'));
}
