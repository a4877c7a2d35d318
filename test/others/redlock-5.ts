export { Redis } from 'ioredis';
export { default as Redlock5, ResourceLockedError } from 'redlock-5';
