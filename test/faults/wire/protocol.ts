import type { Seen } from './wire.js';

/** A part of what a client sends, which passes or is struck as a whole. */
export interface Part {
  readonly bytes: Buffer;
  /** Whether the server answers it. */
  readonly isAsked: boolean;
  /** The request of a verb; absent for what a client sends by itself. */
  readonly seen?: Seen | undefined;
}

/** A part of what a server sends. */
export interface Reply {
  readonly bytes: Buffer;
  /** Whether an answer ends with it. */
  readonly isEnd: boolean;
}

/** The two streams of one connection, cut into parts. */
export interface Conversation {
  sent(data: Buffer): readonly Part[];
  replied(data: Buffer): readonly Reply[];
  /** Lets the server itself end this connection. */
  terminate(): Promise<unknown>;
}

export interface Protocol {
  converse(): Conversation;
  /** The answer of a server that refuses a request with this code or message. */
  refusal(text: string): Buffer;
  /** What the server gets in place of a request that is refused before it comes, if it waits for the request's end. */
  readonly end?: Buffer;
}

/** Collects bytes, and cuts whole frames off their beginning. */
export function frames(lengthOf: (data: Buffer) => number | undefined): (data: Buffer) => Buffer[] {
  let rest: Buffer = Buffer.alloc(0);
  return (data) => {
    rest = Buffer.concat([rest, data]);
    const whole: Buffer[] = [];
    for (;;) {
      const length = rest.length === 0 ? undefined : lengthOf(rest);
      if (length === undefined || length > rest.length) return whole;
      whole.push(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}
