/** What the SDK throws when no answer came. */
export function timeout(): Error {
  return Object.assign(new Error('no answer'), { name: 'TimeoutError' });
}

/** What the SDK throws when a condition does not hold, with the item that refused it; without one, as emulators do. */
export function refused(item?: object, attempts = 1): Error {
  return Object.assign(new Error('The conditional request failed'), {
    name: 'ConditionalCheckFailedException',
    $metadata: { httpStatusCode: 400, attempts },
    ...(item && { Item: Object.fromEntries(Object.entries(item).map(([name, value]) => [name, raw(value)])) }),
  });
}

function raw(value: unknown): object {
  return typeof value === 'number' ? { N: `${value}` } : { S: value };
}
