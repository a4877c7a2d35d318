import { failed } from '../exit-code.js';

/**
 * Loads an optional package.
 *
 * @param what the thing that needs it, for the error
 * @throws CliError if it is missing, with its name and how to install it
 */
export async function needing<T>(
  packages: readonly string[],
  load: () => Promise<T>,
  what: string = 'this store',
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, packages)) throw error;
    throw failed(
      `${what} needs ${packages.join(' and ')}, which is not installed beside single-execution: npm install ${packages.join(' ')}`,
    );
  }
}

/** Whether an import failed because one of these packages is missing. */
export function isMissing(error: unknown, packages: readonly string[]): boolean {
  const { code, message = '' } = error as { readonly code?: unknown; readonly message?: string };
  return code === 'ERR_MODULE_NOT_FOUND' && packages.some((name) => message.includes(`'${name}'`));
}
