/* What those need who look at a DynamoDB table itself: the attributes of a lock, and the codes of a refusal. */
export { AWS_DENIED } from '../core/values/aws-denied.js';
export { indexConflict, RECORD_ATTRIBUTES, recordAttributeType } from '../core/values/record-attributes.js';
