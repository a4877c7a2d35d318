/** Length in UTF-8 bytes. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) bytes += bytesOf(character);
  return bytes;
}

/** The longest start of a text that fits into `maxBytes` UTF-8 bytes, well-formed and cut between characters. */
export function truncateUtf8(text: string, maxBytes: number): string {
  const wellFormed = text.replace(/\p{Surrogate}/gu, '\uFFFD');
  let bytes = 0;
  let end = 0;
  for (const character of wellFormed) {
    bytes += bytesOf(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return wellFormed.slice(0, end);
}

/** Counts without an encoder, which would cost more than the rest of a skip. */
function bytesOf(character: string): number {
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x1_0000 ? 3 : 4;
}
