// Loaded before a program, this makes its wall clock wrong by SHIFT_MS: ahead if positive. Timers stay right.
const shiftMs = Number(process.env.SHIFT_MS);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [RealDate.now() + shiftMs] : args));
  }

  static now() {
    return RealDate.now() + shiftMs;
  }
};
