/**
 * Characters that a terminal would obey rather than show: control characters, marks that change the writing direction,
 * line separators, lone surrogates.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu;
const IN_URL = /([a-z][a-z\d+.-]*:\/\/)[^\s/@'"]*(?:@[^\s/@'"]*)*@/gi;

/** A text that is safe for a terminal: characters that it would obey are written as escapes. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code === 0x0a) return '\\n';
    if (code === 0x09) return '\\t';
    return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  });
}

/** A value as JSON that is safe for a terminal. It parses to the same value. */
export function safeJson(value: unknown, indent: number = 2): string {
  return JSON.stringify(value, null, indent).replace(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** A text without the user and password of any URL in it, and without these secrets. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.filter(({ length }) => length > 3);
  return known.reduce((shown, secret) => shown.replaceAll(secret, '***'), text.replace(IN_URL, '$1***@'));
}
