import { failed } from '../exit-code.js';

/**
 * Loads what a package is needed for.
 *
 * @param what needs it, for people
 * @throws CliError that names the package and how to install it, where it is missing
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

/** Whether an import failed because one of these packages is not there. */
export function isMissing(error: unknown, packages: readonly string[]): boolean {
  const { code, message = '' } = error as { readonly code?: unknown; readonly message?: string };
  return code === 'ERR_MODULE_NOT_FOUND' && packages.some((name) => message.includes(`'${name}'`));
}
