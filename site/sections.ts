import { posix } from 'node:path';
import { pagePlaces } from './pages.js';

/** The site's sections in their order. A folder stands for those of its pages that no section names. */
const CONTENTS: Readonly<Record<string, readonly string[]>> = {
  Start: [
    'README.md',
    'docs/choose.md',
    'docs/install.md',
    'docs/guides/first-lock.md',
    'docs/how-it-works.md',
    'docs/questions.md',
    'docs/glossary.md',
    'docs/comparison.md',
    'docs/guides/migrating.md',
  ],
  'From an empty folder': ['docs/paths'],
  Platforms: ['docs/platforms/lambda.md', 'docs/platforms'],
  Stores: ['docs/stores', 'docs/custom-store.md'],
  Guides: [
    'docs/guides/lease-times.md',
    'docs/guides/retries.md',
    'docs/guides/long-runs.md',
    'docs/guides/schedules.md',
    'docs/guides/effects.md',
    'docs/guides/catch-up.md',
    'docs/guides',
  ],
  Deploy: [
    'docs/deploy/cdk.md',
    'docs/deploy/templates.md',
    'docs/deploy/commands.md',
    'docs/deploy/rights.md',
    'docs/deploy/alarms.md',
    'docs/deploy/costs.md',
    'docs/deploy',
  ],
  Operate: ['docs/on-call.md', 'docs/cli.md', 'docs/console.md', 'docs/logs.md'],
  Reference: ['docs/reference.md', 'docs/versioning.md'],
  Proof: [
    'docs/protocol.md',
    'docs/promises.md',
    'docs/faults.md',
    'docs/reliability.md',
    'docs/conformance.md',
    'docs/benchmarks.md',
    'docs/adr',
  ],
  Project: ['SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
};

/** Each section, with the pages of the repository that stand in it. */
export function sections(): readonly (readonly [name: string, pages: readonly string[]])[] {
  const named = new Set(Object.values(CONTENTS).flat());
  const others = [...pagePlaces().keys()].filter((page) => !named.has(page));
  return Object.entries(CONTENTS).map(([name, entries]) => [
    name,
    entries.flatMap((entry) =>
      entry.endsWith('.md') ? [entry] : others.filter((page) => posix.dirname(page) === entry),
    ),
  ]);
}
