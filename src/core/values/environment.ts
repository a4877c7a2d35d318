/** A variable of the environment; undefined if it is not set, or if this program may not read it. */
export function environmentVariable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return process?.env?.[name];
  } catch {
    // Deno throws for each variable that was not allowed.
    return undefined;
  }
}
