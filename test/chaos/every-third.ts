/** Strikes one in three of the requests that fit, the first of them first, with each kind of fault in turn. */
export interface EveryThird<R, F> {
  /** What happens to this request. However often it is asked about, a request is one. */
  faultFor(request: R): F | undefined;
  /** How many requests fitted, and which faults struck. */
  fitted(): number;
  struck(): readonly F[];
}

export function everyThird<R, F>(kinds: readonly F[], fits: (request: R) => boolean): EveryThird<R, F> {
  let fitted = 0;
  const struck: F[] = [];

  const faultFor = oncePerRequest((request: R): F | undefined => {
    if (!fits(request)) return undefined;
    const fault = fitted % 3 === 0 ? kinds[(fitted / 3) % kinds.length] : undefined;
    fitted++;
    if (fault !== undefined) struck.push(fault);
    return fault;
  });

  return {
    faultFor,
    fitted: () => fitted,
    struck: () => struck,
  };
}

/** Chooses once for each request, however often it is asked about before the next one. */
export function oncePerRequest<R, F>(choose: (request: R) => F): (request: R) => F {
  let latest: { readonly request: R; readonly fault: F } | undefined;
  return (request) => {
    if (latest?.request !== request) latest = { request, fault: choose(request) };
    return latest.fault;
  };
}
