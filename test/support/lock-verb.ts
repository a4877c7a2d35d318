/** The body of a DynamoDB request, parsed from JSON. */
export type RequestBody = Readonly<Record<string, unknown>>;

export type LockVerb =
  | 'acquire'
  | 'takeover'
  | 'cancel'
  | 'extend'
  | 'mark'
  | 'release'
  | 'forceRelease'
  | 'pause'
  | 'resume'
  | 'delete'
  | 'listTicks'
  | 'checkIn'
  | 'other';

interface Write {
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S?: string } | string | undefined>>;
}

/** The text of a value as it is sent, or as a document client gets it. */
const textOf = (value: { readonly S?: string } | string | undefined) => (typeof value === 'object' ? value.S : value);

/** The verb of the lock protocol that a write to DynamoDB belongs to, recognised by its expressions. */
export function verbOf(body: RequestBody): LockVerb {
  const { UpdateExpression: update = '', ExpressionAttributeValues: values = {} } = body as Write;
  if (update.startsWith('SET barredAttempt')) return 'cancel';
  if (update.startsWith('SET lockUntil = :lockUntil, doneTick')) return 'mark';
  if (update.startsWith('SET lockUntil')) return 'extend';
  if (update.startsWith('SET pausedUntil')) return 'pause';
  if (update.startsWith('REMOVE pausedUntil')) return 'resume';
  if (update.startsWith('SET openTicks')) return 'listTicks';
  if (/^(SET #m|REMOVE #f)/.test(update)) return 'checkIn';
  const state = textOf(values[':state']);
  if (state === 'forced') return 'forceRelease';
  if (state === 'deleted') return 'delete';
  if (state === 'released') return 'release';
  if (state === 'held') return ':oldAttempt' in values ? 'takeover' : 'acquire';
  return 'other';
}

/** The id of the attempt that a request names. */
export function attemptOf(body: RequestBody): string | undefined {
  return textOf((body as Write).ExpressionAttributeValues?.[':att']);
}
