export {
  createLeaderElection,
  type ElectionOptions,
  type LeaderElection,
  type Leadership,
  type Member,
} from './election.js';
export { type LeadershipOptions, withLeadership } from './with-leadership.js';
