/**
 * Makes an abort controller whose signal looks at the clocks before it answers `aborted`, `reason` or `throwIfAborted`.
 * A process that was stopped handles its I/O before its timers when it goes on: a handler that asks its signal then
 * must get today's answer, not the one of the last timer. Does not promise to tell code that only listens, or that
 * reads the signal inside the platform: a timer tells those.
 *
 * @param look aborts the controller, once, when its time has come; aborting may read the signal again
 */
export function watchedController(look: () => unknown): AbortController {
  const controller = new AbortController();
  const { signal } = controller;
  for (const key of ['aborted', 'reason', 'throwIfAborted']) {
    Object.defineProperty(signal, key, {
      get() {
        look();
        return Reflect.get(Object.getPrototypeOf(signal), key, signal);
      },
    });
  }
  return controller;
}
