import { describeObject, msOfDate } from './date.js';
import { readThrown } from './thrown.js';

/**
 * Returns the names in a table of options, in their order. The compiler refuses a table that leaves out a member of
 * `O`. Because of the annotation below, a bundler drops a call whose result is not used.
 */
/* @__NO_SIDE_EFFECTS__ */
export function namesOf<O>(table: Readonly<Record<keyof O, true>>): readonly string[] {
  return Object.keys(table);
}

/**
 * @param owner the function or option that the options belong to, for the error
 * @throws TypeError unless `options` is an object with known options only
 */
export function checkKnown(options: object, known: readonly string[], owner?: string): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`options is ${describeType(options)}: pass an object of options`);
  }
  const stray = Object.keys(options).find((name) => !known.includes(name));
  if (stray === undefined) return;
  const whose = owner === undefined ? '' : ` of ${owner}`;
  const are = known.length === 1 ? 'option is' : 'options are';
  throw new TypeError(`unknown option '${stray}'${whose}: the ${are} ${known.join(', ')}`);
}

/** @throws TypeError unless the value is one of the choices */
export function checkChoice<C extends string>(option: string, value: unknown, choices: readonly C[]): C {
  const chosen = choices.find((choice) => choice === value);
  if (chosen !== undefined) return chosen;
  throw new TypeError(`${option} is ${describe(value)}: choose ${choices.map((c) => `'${c}'`).join(' or ')}`);
}

/** @throws TypeError unless the value is an object with these functions */
export function checkMethods(option: string, value: unknown, methods: readonly string[], remedy: string): void {
  const type = describeType(value);
  if (typeof value !== 'object' || value === null || FIRST[type])
    throw new TypeError(`${option} is ${type}: ${remedy}${FIRST[type] ?? ''}`);
  const missing = methods.find((method) => typeof (value as Record<string, unknown>)[method] !== 'function');
  if (missing !== undefined) throw new TypeError(`${option} has no function '${missing}': ${remedy}`);
}

/** What to do with a value that only makes the right one. */
const FIRST: Readonly<Record<string, string>> = {
  'a function': ', or call it first',
  'a promise': ', or await it first',
};

/**
 * Checks the options of a store. Another object in their place, such as the client itself, is refused as such.
 *
 * @param known the names of a store's options; the first one is required
 * @throws TypeError unless `options` has the required option and known options only
 */
export function checkStoreOptions(factory: string, options: object, known: readonly string[]): void {
  const [required = ''] = known;
  let given = describeType(options);
  if (given.startsWith('an object')) {
    const strays = Object.keys(options).filter((name) => !known.includes(name));
    // Compare names: plain objects of another realm have another `Object`.
    const isPlain = options.constructor?.name === 'Object';
    const isStrange = (stray: string) => !isPlain || typeof Reflect.get(options, stray) === 'function';
    if ((isPlain || required in options) && !strays.some(isStrange)) {
      checkKnown(options, known, factory);
      return;
    }
    given = 'an object that is not its options';
  }
  const shape = known.filter((name) => name === required || name === 'client').join(', ');
  throw new TypeError(`${factory} was given ${given}: pass { ${shape} }`);
}

/** Describes a value for an error message: short, quoted if it is a string, without the contents of an object. */
export function describe(value: unknown): string {
  try {
    return shown(value);
  } catch {
    return 'a value that cannot be read';
  }
}

/**
 * Like `describe`, for values that may contain a secret, and for objects: shows the type of a text or number instead of
 * its value, and distinguishes promises and classes from other objects and functions.
 */
export function describeType(value: unknown): string {
  if (typeof readThrown(value, 'then') === 'function') return 'a promise';
  if (isClass(value)) return 'a class';
  return ['string', 'number', 'bigint', 'symbol'].includes(typeof value) ? `a ${typeof value}` : describe(value);
}

/** Whether a value is a class, also one in the old style: a function whose prototype has methods. */
function isClass(value: unknown): boolean {
  if (typeof value !== 'function') return false;
  const members = Object.getOwnPropertyNames(Object(readThrown(value, 'prototype')));
  return members.length > 1 || /^class\b/.test(Function.prototype.toString.call(value));
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.length > 64 ? `${value.slice(0, 64)}…` : value}'`;
  if (typeof value === 'function') return 'a function';
  const ms = msOfDate(value);
  if (ms !== undefined) return Number.isNaN(ms) ? 'an invalid Date' : new Date(ms).toISOString();
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return describeObject(value);
  return String(value);
}
