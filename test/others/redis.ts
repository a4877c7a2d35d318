export { Redis } from 'ioredis';
export { default as Redlock } from 'redlock';
