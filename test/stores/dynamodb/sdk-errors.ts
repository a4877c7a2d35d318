/** The output of a write without data. DynamoDB names the request in each answer. */
export const ANSWERED = { $metadata: { httpStatusCode: 200, requestId: 'R1' } };

/** The SDK's error if no answer came. */
export function timeout(): Error {
  return Object.assign(new Error('no answer'), { name: 'TimeoutError' });
}

/** The SDK's error if a condition does not hold, with the item that made it fail. Emulators leave the item out. */
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
