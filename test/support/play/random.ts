/** Random choices that are the same for the same seed. */
export interface Random {
  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
  /** An independent source for one part of the play. What one part draws does not change what other parts draw. */
  fork(part: string): Random;
}

export function random(seed: number | string): Random {
  const next = mulberry32(hash(String(seed)));
  const whole = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    whole,
    chance: (probability) => next() < probability,
    pick: <T>(choices: readonly T[]) => choices[whole(0, choices.length - 1)] as T,
    shuffled<T>(items: readonly T[]) {
      const rest = [...items];
      return items.map(() => rest.splice(whole(0, rest.length - 1), 1)[0] as T);
    },
    fork: (part) => random(`${seed}/${part}`),
  };
}

/** Tommy Ettinger's mulberry32. Its 32 bits of state are enough for a play. */
function mulberry32(state: number): () => number {
  let a = state;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The FNV-1a hash. */
function hash(text: string): number {
  return [...text].reduce((h, char) => Math.imul(h ^ (char.codePointAt(0) ?? 0), 16_777_619), 2_166_136_261);
}
