/**
 * Bytes of an item by DynamoDB's rules (developer guide, "DynamoDB item sizes and formats"). Each attribute counts the
 * bytes of its name and of its value. A text counts its UTF-8 bytes. A number without leading and trailing zeros counts
 * about one byte for two significant digits, and one byte more; another byte is added here, because the decimal point
 * may cut a pair of digits. The 100 bytes of overhead that storage is billed for do not count towards write units.
 */
export function itemSize(item: Readonly<Record<string, unknown>>): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + bytes(name) + valueSize(value), 0);
}

function valueSize(value: unknown): number {
  if (typeof value === 'string') return bytes(value);
  if (typeof value === 'number') return numberSize(value);
  throw new TypeError(`a lock record holds strings and numbers, not ${typeof value}`);
}

function numberSize(value: number): number {
  const digits = Math.abs(value)
    .toString()
    .replace('.', '')
    .replace(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + 2 + (value < 0 ? 1 : 0);
}

function bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** Write units of a standard write to an item of that size, refused or not: one for each KiB that has begun. */
export function writeUnits(sizeBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / 1_024));
}
