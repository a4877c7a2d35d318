import { upstashAttemptOf, upstashVerbOf } from '../upstash-verb.js';
import { frames, type Protocol } from './protocol.js';

const CRLF = '\r\n';

/** The protocol of Redis. Each command has one answer. */
export const REDIS_PROTOCOL: Protocol = {
  converse() {
    const cutSent = frames((data) => endOf(data, 0));
    const cutReplied = frames((data) => endOf(data, 0));
    return {
      sent: (data) =>
        cutSent(data).map((bytes) => {
          const command = wordsIn(bytes);
          const verb = upstashVerbOf(command);
          const seen = verb === 'other' ? {} : { seen: { verb, attempt: upstashAttemptOf(command) } };
          return { bytes, isAsked: true, ...seen };
        }),
      replied: (data) => cutReplied(data).map((bytes) => ({ bytes, isEnd: true })),
      terminate: async () => {
        throw new Error('no fault of Redis lets the server end a connection');
      },
    };
  },
  refusal: (text) => Buffer.from(`-${text}${CRLF}`),
};

/** Finds the end of the value that begins at an offset; undefined if it is not complete. */
function endOf(data: Buffer, at: number): number | undefined {
  const lineEnd = data.indexOf(CRLF, at);
  if (lineEnd < 0) return undefined;
  const end = lineEnd + CRLF.length;
  const type = String.fromCharCode(data[at] ?? 0);
  const count = Number(data.toString('latin1', at + 1, lineEnd));
  if (/[$=!]/.test(type)) return count < 0 ? end : end + count + CRLF.length;
  if (!/[*%~>]/.test(type)) return end;
  let next: number | undefined = end;
  const values = type === '%' ? 2 * count : count;
  for (let n = 0; n < values && next !== undefined; n++) next = next > data.length ? undefined : endOf(data, next);
  return next;
}

function wordsIn(bytes: Buffer): string[] {
  const words: string[] = [];
  let at = bytes.indexOf(CRLF) + CRLF.length;
  while (at < bytes.length) {
    const start = bytes.indexOf(CRLF, at) + CRLF.length;
    const end = start + Number(bytes.toString('latin1', at + 1, start - CRLF.length));
    words.push(bytes.toString('utf8', start, end));
    at = end + CRLF.length;
  }
  return words;
}
