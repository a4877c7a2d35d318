import { readThrownText } from '../public/errors.js';

const UNSENT = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/;
/** A host can become unreachable while an answer is waited for. */
const ON_A_CONNECTION = /\b(read|write)/;

/** Whether a network error says that the request never left, by the system's code or a client's message. */
export function isUnsent(error: unknown): boolean {
  const text = (field: 'code' | 'message' | 'syscall') => readThrownText(error, field);
  return (
    UNSENT.test(`${text('code')} ${text('message')}`) && !ON_A_CONNECTION.test(`${text('syscall')} ${text('message')}`)
  );
}
