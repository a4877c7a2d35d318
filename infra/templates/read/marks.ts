import type { Deployment, Job } from '../deployment.js';

const NAMESPACE = 'SINGLE_EXECUTION_NAMESPACE';
const TIME_ZONE = 'SINGLE_EXECUTION_TIME_ZONE';

/** Puts marks in place of the values that users change, and of the namespace of the metrics. */
export function marked({ job, ...rest }: Deployment): Deployment {
  const namespace = rest.fn.environment[NAMESPACE] ?? '';
  if (!namespace.startsWith('SingleExecution/')) throw new Error(`${NAMESPACE} is '${namespace}'`);
  // UTC is what a handler takes where it is told no time zone.
  const zone = job.timeZone === 'Etc/UTC' ? { [TIME_ZONE]: job.timeZone } : {};
  const fn = { ...rest.fn, environment: { ...zone, ...rest.fn.environment } };
  return { job, ...(replaced({ ...rest, fn }, marksOf(job, namespace)) as Omit<Deployment, 'job'>) };
}

function marksOf({ name, schedule, timeZone }: Job, namespace: string): ReadonlyMap<string, string> {
  return new Map([
    [namespace, '{{namespace}}'],
    [schedule, '{{schedule}}'],
    [timeZone, '{{timeZone}}'],
    [name, '{{job}}'],
  ]);
}

function replaced(value: unknown, marks: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return [...marks].reduce((text, [from, to]) => text.replaceAll(from, to), value);
  if (Array.isArray(value)) return value.map((item) => replaced(item, marks));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, replaced(part, marks)]));
}
