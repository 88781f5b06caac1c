import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The suites on the control plane that last longest, longest first. Whichever is still running when the others are done, all wait for it. */
const longest = [
  'foundationdb/documents',
  'drains/interruptions',
  'foundationdb/comes-up',
  'foundationdb/shared-quota',
  'drains/kubectl-drain',
  'operator',
  'drains/chaos',
  'foundationdb/crash-at-a-write',
  'drains/node-drain',
  'control-plane',
  'drains/stories',
  'drains/command',
  'demo',
  'drains/eviction-guard',
  'cache-faults',
  'api-server-parity',
];

/** Begins with the longest suites, also where no earlier run has left its times behind; the others follow in the usual order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    return usual.toSorted((a, b) => placeOf(a.moduleId) - placeOf(b.moduleId));
  }
}

function placeOf(file: string): number {
  const place = longest.findIndex((name) => file.endsWith(`/test/cluster/${name}.test.ts`));
  return place === -1 ? longest.length : place;
}
