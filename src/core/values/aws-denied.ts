/**
 * Matches the codes by which services of AWS refuse a request: credentials that are wrong, or a right that is missing.
 */
export const AWS_DENIED: RegExp =
  /AccessDenied|UnrecognizedClient|Signature|AuthenticationToken|ExpiredToken|InvalidClientTokenId|NotAuthorized|OptInRequired/;
