export type { Member } from './check-in.js';
export { createLeaderElection, type ElectionOptions, type LeaderElection } from './election.js';
export type { Leadership } from './term.js';
export { type LeadershipOptions, withLeadership } from './with-leadership.js';
