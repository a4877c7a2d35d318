/*
 * The types of the Fetch API that the project's compiler knows, from the DOM, Node or the platform. If it knows none,
 * routes cannot be typed, but this library's declarations still compile.
 */

/** The platform's `Request`, if the project's compiler knows it. */
export type FetchRequest = typeof globalThis extends { readonly Request: { readonly prototype: infer Known } }
  ? Known
  : object;

/** The platform's `Response`, if the project's compiler knows it. */
export type FetchResponse = typeof globalThis extends { readonly Response: { readonly prototype: infer Known } }
  ? Known
  : object;
