import { CLIENT_GO } from './client-go.js';
import type { Suite } from './scenario.js';
import { SHEDLOCK } from './shedlock.js';
import { SYNCGUARD } from './syncguard.js';
import { verrouScenarios } from './verrou.js';

export const SUITES: readonly Suite[] = [
  {
    name: 'verrou',
    source: '[@verrou/core](https://verrou.dev) 0.5.2, `@verrou/core/test_suite` of its npm package',
    how: 'Their code, unchanged. An adapter gives our store the shape of their drivers. A lock without an end is one of 24 hours, the longest lease. On DynamoDB the adapter asks again for up to 3.5 s once a lease is over, because a takeover there may come up to 3 s later.',
    scenarios: verrouScenarios(),
  },
  {
    name: 'syncguard',
    source: '[kriasoft/syncguard](https://github.com/kriasoft/syncguard) 2.5.2, its contract tests',
    how: 'We wrote these scenarios in our own words, because the package does not contain its tests. If two of its tests ask for the same, we play it once.',
    scenarios: SYNCGUARD,
  },
  {
    name: 'ShedLock',
    source:
      '[lukas-krecan/ShedLock](https://github.com/lukas-krecan/ShedLock), `shedlock-test-support` at commits bbc24c2 (integration test), 38330d8 (extensible locks), b731047 (fuzz test) and 0dd7d50 (storage-based locks)',
    how: 'We wrote these scenarios in our own words. In the fuzz test each worker makes 25 rounds; in theirs it makes 100.',
    scenarios: SHEDLOCK,
  },
  {
    name: 'client-go',
    source:
      '[kubernetes/client-go](https://github.com/kubernetes/client-go), `tools/leaderelection/leaderelection_test.go` at commit b4217e1',
    how: 'We wrote these scenarios in our own words. If two of its tests ask for the same, we play it once. The cases about one record use the lock of the election. The case of a stopped leader plays a whole election.',
    scenarios: CLIENT_GO,
  },
];
