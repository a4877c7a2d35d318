/**
 * The error of an answer that no server gives to this request: a client has changed it, or it belongs to another
 * request. It is final, because the same client changes the next answer too. The request may have been applied.
 */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
}

/** Describes an answer by its shape, without its contents, which can be secret. */
export function shapeOf(answer: unknown): string {
  if (Array.isArray(answer))
    return answer.length === 1 ? `an array of ${shapeOf(answer[0])}` : `${answer.length} items`;
  if (typeof answer === 'string') return answer === '' ? 'an empty text' : 'a text';
  if (typeof answer !== 'object' || answer === null) {
    return answer === undefined || answer === null ? String(answer) : `a ${typeof answer}`;
  }
  const fields = Object.keys(answer);
  if (fields.length === 0) return 'an object without fields';
  const others = fields.length > FIELDS ? ` and ${fields.length - FIELDS} more` : '';
  return `an object with the fields ${fields.slice(0, FIELDS).map(shortened).join(', ')}${others}`;
}

const FIELDS = 5;
const LONGEST_FIELD = 32;

function shortened(field: string): string {
  return field.length > LONGEST_FIELD ? `${field.slice(0, LONGEST_FIELD)}…` : field;
}
