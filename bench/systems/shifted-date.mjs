// Loaded before a program: its wall clock is wrong by SHIFT_MS, ahead when positive. Timers are not.
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
