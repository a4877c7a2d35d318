/** True time of a simulated world, and what is going to happen in it. */
export interface Timeline {
  /** True time, in epoch milliseconds. */
  now(): number;
  /** Runs a callback after `ms` of true time. */
  after(ms: number, happen: () => void): Happening;
  /** Lets everything happen up to an instant, in order. After each event, promises get their turn. */
  runUntil(ms: number): Promise<void>;
}

export interface Happening {
  cancel(): void;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  happen: (() => void) | undefined;
}

export function timeline(start: number): Timeline {
  const heap: Entry[] = [];
  let now = start;
  let count = 0;

  const isBefore = (a: Entry, b: Entry) => a.at < b.at || (a.at === b.at && a.order < b.order);
  const push = (entry: Entry) => {
    let i = heap.push(entry) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!isBefore(entry, heap[parent] as Entry)) break;
      heap[i] = heap[parent] as Entry;
      i = parent;
    }
    heap[i] = entry;
  };
  const pop = (): Entry | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry, heap[child] as Entry)) child++;
      if (!isBefore(heap[child] as Entry, last)) break;
      heap[i] = heap[child] as Entry;
      i = child;
    }
    heap[i] = last;
    return first;
  };

  return {
    now: () => now,
    after(ms, happen) {
      const entry: Entry = { at: now + Math.max(0, ms), order: count++, happen };
      push(entry);
      return {
        cancel() {
          entry.happen = undefined;
        },
      };
    },
    async runUntil(ms) {
      await promisesTurn();
      for (let next = heap[0]; next && next.at <= ms; next = heap[0]) {
        pop();
        if (next.happen === undefined) continue;
        now = Math.max(now, next.at);
        next.happen();
        await promisesTurn();
      }
      now = Math.max(now, ms);
    },
  };
}

/** Waits for a macrotask: before it, all promises that can go on do so. */
function promisesTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
