/* Which slots of a cluster the nodes serve, and which key lies in a slot. */

const SLOTS = 16_384;

/** What one node says about itself, in its own line of `CLUSTER NODES`. */
export interface NodeSlots {
  /** The first and the last slot of each range that the node serves. */
  readonly ranges: readonly (readonly [number, number])[];
  /** Whether a slot is on its way to this node, or from it. */
  readonly isMoving: boolean;
  /** Rises with each change of the node's slots. */
  readonly epoch: string;
}

/** The fields before the slots: id, address, flags, master, two times, epoch, link. */
const FIELDS = 8;

export function slotsOf(line: string): NodeSlots {
  const fields = line.split(' ');
  const slots = fields.slice(FIELDS);
  const ranges = slots.flatMap((range) => {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
    return first === undefined ? [] : [[Number(first), Number(last)] as const];
  });
  return { ranges, isMoving: slots.some((slot) => slot.startsWith('[')), epoch: fields[FIELDS - 2] ?? '' };
}

/** The first slot that none of these nodes serves; undefined if they serve all. */
export function unservedSlot(nodes: readonly NodeSlots[]): number | undefined {
  const ranges = nodes.flatMap((node) => node.ranges).toSorted(([one], [other]) => one - other);
  let next = 0;
  for (const [first, last] of ranges) {
    if (first > next) break;
    next = Math.max(next, last + 1);
  }
  return next < SLOTS ? next : undefined;
}

/** Returns a text in braces whose slot is this one. A key that has no other braces before it lies there. */
export function tagOfSlot(slot: number): string {
  let number = 0;
  while (crc16(String(number)) % SLOTS !== slot) number++;
  return `{${number}}`;
}

/** The checksum by which a cluster chooses the slot of a key (CRC-16/XMODEM). */
function crc16(text: string): number {
  let crc = 0;
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i) << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}
