/** A variable of the environment; undefined where there is none, or where this program may not see it. */
export function environmentVariable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return process?.env?.[name];
  } catch {
    // Deno throws for each variable that was not allowed.
    return undefined;
  }
}
