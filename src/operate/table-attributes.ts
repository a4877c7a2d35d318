/* The attributes of a lock in a DynamoDB table, for those who look at the table itself. */
export { indexConflict, RECORD_ATTRIBUTES, recordAttributeType } from '../core/values/record-attributes.js';
