/** A value as it can be shown in an error message: short, quoted when a string, never the inside of an object. */
export function describe(value: unknown): string {
  try {
    return shown(value);
  } catch {
    return 'a value that cannot be read';
  }
}

/** A value that may be a secret, or hold one: the type of a text or number is shown, never the value. */
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
