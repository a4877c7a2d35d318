/** A value as an error message shows it: short, quoted if a string, never the contents of an object. */
export function describe(value: unknown): string {
  try {
    return shown(value);
  } catch {
    return 'a value that cannot be read';
  }
}

/** Like `describe`, for values that may contain a secret: the type of a text or number, not its value. */
export function describeType(value: unknown): string {
  return ['string', 'number', 'bigint', 'symbol'].includes(typeof value) ? `a ${typeof value}` : describe(value);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.length > 64 ? `${value.slice(0, 64)}…` : value}'`;
  if (typeof value === 'function') return 'a function';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : value.toISOString();
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}
