export { Lock } from '@upstash/lock';
