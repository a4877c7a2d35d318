/** The variable of the environment that names the metrics' namespace. */
export const NAMESPACE_VARIABLE = 'SINGLE_EXECUTION_NAMESPACE';

/** CloudWatch's alphabet and length, not all blank, no colon first, and not one of AWS's own. */
const VALID = /^(?!:|AWS\/)(?=.*\S)[0-9A-Za-z._\-/#: ]{1,255}$/;

/** What is wrong with a namespace, and the remedy; undefined if CloudWatch accepts it. */
export function namespaceProblem(namespace: string): string | undefined {
  return VALID.test(namespace)
    ? undefined
    : 'give 1 to 255 of 0-9 A-Z a-z . - _ / # : and space, not all blank, with no colon and no AWS/ first';
}
