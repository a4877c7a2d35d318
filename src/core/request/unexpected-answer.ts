/**
 * The error of an answer that no server gives to this request: a client has changed it, or it belongs to another
 * request. It is final, because the same client changes the next answer too. The request may have been applied.
 */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
}

const FIELDS = 5;
const LONGEST_FIELD = 32;

/** Describes an answer by its shape, without its contents, which can be secret. */
export function shapeOf(answer: unknown): string {
  if (Array.isArray(answer)) {
    if (answer.length === 0) return 'an empty array';
    return answer.length === 1
      ? `an array of one item (${shapeOfItem(answer[0])})`
      : `an array of ${answer.length} items (the first is ${shapeOfItem(answer[0])})`;
  }
  return shapeOfItem(answer);
}

function shapeOfItem(item: unknown): string {
  if (Array.isArray(item)) return item.length === 0 ? 'an empty array' : 'an array';
  if (typeof item === 'string') return item === '' ? 'an empty text' : 'a text';
  if (item === undefined || item === null) return String(item);
  if (typeof item !== 'object') return `a ${typeof item}`;
  const fields = Object.keys(item);
  if (fields.length === 0) return 'an object without fields';
  const others = fields.length > FIELDS ? ` and ${fields.length - FIELDS} more` : '';
  return `an object with ${fields.slice(0, FIELDS).map(shortened).join(', ')}${others}`;
}

function shortened(field: string): string {
  return field.length > LONGEST_FIELD ? `${field.slice(0, LONGEST_FIELD)}…` : field;
}
