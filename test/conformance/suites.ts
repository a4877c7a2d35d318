import { CLIENT_GO } from './client-go.js';
import type { Suite } from './scenario.js';
import { SHEDLOCK } from './shedlock.js';
import { SYNCGUARD } from './syncguard.js';
import { verrouScenarios } from './verrou.js';

export const SUITES: readonly Suite[] = [
  {
    name: 'verrou',
    source: '[@verrou/core](https://verrou.dev) 0.5.2, `@verrou/core/test_suite` of its npm package',
    how: 'Their code, unchanged. An adapter gives our store the shape of their drivers. A lock without an end is one of 24 hours, the longest lease. On DynamoDB the adapter asks again for up to 3.5 s where a lease is over, because a takeover may come up to 3 s later there.',
    scenarios: verrouScenarios(),
  },
  {
    name: 'syncguard',
    source: '[kriasoft/syncguard](https://github.com/kriasoft/syncguard) 2.5.2, its contract tests',
    how: 'In our words: the package does not contain its tests. What they ask for twice is played once.',
    scenarios: SYNCGUARD,
  },
  {
    name: 'ShedLock',
    source:
      '[lukas-krecan/ShedLock](https://github.com/lukas-krecan/ShedLock), `shedlock-test-support` at commits bbc24c2 (integration test), 38330d8 (extensible locks), b731047 (fuzz test) and 0dd7d50 (storage-based locks)',
    how: 'In our words. Their fuzz test counts to 710; ours makes 25 rounds a worker where theirs makes 100.',
    scenarios: SHEDLOCK,
  },
  {
    name: 'client-go',
    source:
      '[kubernetes/client-go](https://github.com/kubernetes/client-go), `tools/leaderelection/leaderelection_test.go` at commit b4217e1',
    how: 'In our words, what they ask for twice once. The table of cases about one record asks the lock of the election; the case of a stopped leader plays a whole election.',
    scenarios: CLIENT_GO,
  },
];
