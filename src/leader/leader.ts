export type { Member } from './candidate.js';
export type { Leadership } from './election.js';
export { createLeaderElection, type ElectionOptions, type LeaderElection } from './election.js';
export { type LeadershipOptions, withLeadership } from './with-leadership.js';
