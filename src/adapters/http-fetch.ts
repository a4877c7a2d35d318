/*
 * The Fetch API's types as the project's compiler knows them: the DOM's, Node's or the platform's. Where it knows none
 * of them, there are no routes, and this library's declarations still compile.
 */

/** The platform's `Request`, where the project's compiler knows it. */
export type FetchRequest = typeof globalThis extends { readonly Request: { readonly prototype: infer Known } }
  ? Known
  : object;

/** The platform's `Response`, where the project's compiler knows it. */
export type FetchResponse = typeof globalThis extends { readonly Response: { readonly prototype: infer Known } }
  ? Known
  : object;
