const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * A fresh identity: a letter and 22 random characters of base64url, 132 bits. The letter keeps clients that guess at
 * types (JSON, Redis) from reading an id as a number.
 */
export function newAttemptId(letter = 'a'): string {
  let id = letter;
  for (const byte of crypto.getRandomValues(new Uint8Array(22))) id += BASE64URL.charAt(byte % 64);
  return id;
}
