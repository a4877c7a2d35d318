/**
 * A fresh identity: a letter and 128 random bits as base64url, 23 characters. The letter keeps clients that guess at
 * types (JSON, Redis) from reading an id as a number.
 */
export function newAttemptId(letter = 'a'): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const base64 = btoa(String.fromCharCode(...bytes)).slice(0, 22);
  return letter + base64.replaceAll('+', '-').replaceAll('/', '_');
}
