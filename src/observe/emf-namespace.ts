import { describe } from '../core/describe.js';
import { environmentVariable } from '../core/environment.js';
import { EMF_NAMESPACE } from './emf-metrics.js';

/** CloudWatch's alphabet and length, not all blank, and no colon first. */
const VALID = /^(?!:)(?=.*\S)[0-9A-Za-z._\-/#: ]{1,255}$/;

/**
 * The namespace of the metrics: the option, else SINGLE_EXECUTION_NAMESPACE unless that is empty, else the default.
 *
 * @throws TypeError when it is no string
 * @throws RangeError when CloudWatch would refuse it
 */
export function emfNamespace(option: unknown): string {
  if (option !== undefined) return checkNamespace('namespace', option);
  const fromEnvironment = environmentVariable('SINGLE_EXECUTION_NAMESPACE');
  return fromEnvironment ? checkNamespace('SINGLE_EXECUTION_NAMESPACE', fromEnvironment) : EMF_NAMESPACE;
}

function checkNamespace(source: string, value: unknown): string {
  if (typeof value !== 'string') {
    throw new TypeError(`${source} is ${describe(value)}: give a CloudWatch namespace, such as '${EMF_NAMESPACE}'`);
  }
  if (!VALID.test(value)) {
    throw new RangeError(
      `${source} is ${describe(value)}: give 1 to 255 of the characters 0-9 A-Z a-z . - _ / # : and space, not all blank and no colon first`,
    );
  }
  if (value.startsWith('AWS/')) {
    throw new RangeError(
      `${source} is ${describe(value)}: AWS/ is kept for the services of AWS; begin with another word`,
    );
  }
  return value;
}
