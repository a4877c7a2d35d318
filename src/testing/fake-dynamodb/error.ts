/** Makes an error in the form that the AWS SDK throws when DynamoDB refuses a request. */
export function dynamoDBError(name: string, message: string, details: object = {}): Error {
  const $metadata = { httpStatusCode: 400, attempts: 1, totalRetryDelay: 0 };
  return Object.assign(new Error(message), { name, $fault: 'client', $metadata, ...details });
}

export function validationError(message: string): Error {
  return dynamoDBError('ValidationException', message);
}

/** Makes the error for features that DynamoDB has and this fake lacks: no answer is better than a wrong answer. */
export function beyondFake(what: string): Error {
  return validationError(`fakeLockTable cannot ${what}`);
}
