/**
 * Milliseconds on the one clock that all processes of this machine share: monotonic, the same in each of them, and left
 * alone where a process's wall clock is faked. What they report with it can be put in order.
 */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** How far this process's wall clock is from that clock; the same in all processes whose wall clocks agree. */
export function wallOffsetMs(): number {
  // A process that the machine leaves waiting between the two reads measures too little.
  return Math.max(...Array.from({ length: 10 }, () => Date.now() - machineMs()));
}
