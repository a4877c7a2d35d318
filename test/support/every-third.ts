/** Strikes one in three of the requests that fit, the first of them first, with each kind of fault in turn. */
export interface EveryThird<R, F> {
  /** What happens to this request. However often it is asked about, a request is one. */
  faultFor(request: R): F | undefined;
  /** How many requests fitted, and which faults struck. */
  fitted(): number;
  struck(): readonly F[];
}

export function everyThird<R, F>(kinds: readonly F[], fits: (request: R) => boolean): EveryThird<R, F> {
  let latest: { readonly request: R; readonly fault: F | undefined } | undefined;
  let fitted = 0;
  const struck: F[] = [];

  const next = (request: R): F | undefined => {
    if (!fits(request)) return undefined;
    const fault = fitted % 3 === 0 ? kinds[(fitted / 3) % kinds.length] : undefined;
    fitted++;
    if (fault !== undefined) struck.push(fault);
    return fault;
  };

  return {
    faultFor(request) {
      if (latest?.request !== request) latest = { request, fault: next(request) };
      return latest.fault;
    },
    fitted: () => fitted,
    struck: () => struck,
  };
}
