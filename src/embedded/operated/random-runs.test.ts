import { describe, expect, test } from 'vitest';
import type { StatefulClusterStatus } from '../../api/v1alpha1/stateful-cluster-status.schema.ts';
import type { Random } from '../../kube/random.ts';
import { randomInteger, seededRandom } from '../../kube/random.ts';
import { nodes } from '../../kube/resources.ts';
import { isDeleting } from '../cluster/pod-view.ts';
import { OperatedWorld } from './operated-world.ts';
import { foundationdb, key } from './testing/foundationdb-spec.ts';

/** More of them with DROVER_FDB_RUNS. */
const runs = Number(process.env['DROVER_FDB_RUNS'] ?? 2);
const first = Number(process.env['DROVER_FIRST_SEED'] ?? 1);
const steps = 30;
const signal = new AbortController().signal;

const replacements = {
  enabled: true,
  failureDetectionTimeSeconds: 900,
  taintReplacementOptions: [{ key: 'example.com/maintenance', durationInSeconds: 300 }],
  taintReplacementTimeSeconds: 300,
};

/** People and the world at work on one cluster: what they do is drawn, one thing after the other. */
class Trouble {
  readonly world: OperatedWorld;
  readonly #random: Random;
  readonly #toRemove: string[] = [];
  #image = 0;
  #dead: string | undefined;
  #tainted: string | undefined;

  constructor(world: OperatedWorld, seed: number) {
    this.world = world;
    this.#random = seededRandom(seed * 101);
  }

  async strike(): Promise<void> {
    await this.world.pass(randomInteger(this.#random, 20, 300));
    const doings = [
      () => this.#killNode(),
      async () => this.#reviveNode(),
      () => this.#crash(),
      () => this.#remove(),
      () => this.#cancel(),
      () => this.#changeTemplate(),
      () => this.#taintOrNot(),
      () => this.#restartOperator(),
      () => this.#cutTheLine(),
    ];
    await doings[randomInteger(this.#random, 0, doings.length)]?.();
  }

  /** Everything that ails is mended, and nobody wants anything any more. */
  async end(): Promise<void> {
    this.#reviveNode();
    if (this.#tainted !== undefined) await this.#taintOrNot();
    await this.world.change(key, { cancelReplacementsForInstance: [], processGroupsToRemove: [] });
  }

  /** Whether one zone more may fail by itself without anything being lost: else a loss would be nobody's fault. */
  async #mayStrike(): Promise<boolean> {
    const { health, quorums } = this.world.database(key).whole();
    const { processGroups } = await this.world.status(key);
    return (
      this.#dead === undefined &&
      health.fullyReplicated === true &&
      Number(health.zonesThatMayFail) >= 1 &&
      quorums.every(({ members }) => members.every(({ responds }) => responds === true)) &&
      processGroups.every(({ removingTimestamp }) => removingTimestamp === null) &&
      !this.world.pods('db').some(isDeleting)
    );
  }

  async #killNode(): Promise<void> {
    const node = `n${randomInteger(this.#random, 1, 10)}`;
    if (!(await this.#mayStrike())) return;
    this.#dead = node;
    this.world.cluster.killNode(node);
  }

  #reviveNode(): void {
    if (this.#dead !== undefined) this.world.cluster.reviveNode(this.#dead);
    this.#dead = undefined;
  }

  async #crash(): Promise<void> {
    const pods = this.world.pods('db');
    const pod = pods[randomInteger(this.#random, 0, pods.length)];
    if (pod !== undefined && (await this.#mayStrike())) this.world.cluster.crashPod('db', pod.name);
  }

  async #remove(): Promise<void> {
    const { processGroups } = await this.world.status(key);
    const staying = processGroups.filter(({ removalTimestamp }) => removalTimestamp === null);
    const row = staying[randomInteger(this.#random, 0, staying.length)];
    if (row === undefined) return;
    this.#toRemove.push(row.processGroupID);
    await this.world.change(key, { processGroupsToRemove: this.#toRemove });
  }

  async #cancel(): Promise<void> {
    const row = (await this.world.status(key)).processGroups.find(isMarked);
    if (row === undefined) return;
    const id = row.processGroupID;
    if (this.#toRemove.includes(id)) this.#toRemove.splice(this.#toRemove.indexOf(id), 1);
    await this.world.change(key, { processGroupsToRemove: this.#toRemove, cancelReplacementsForInstance: [id] });
  }

  async #changeTemplate(): Promise<void> {
    this.#image += 1;
    const template = { spec: { containers: [{ name: 'foundationdb', image: `foundationdb:${this.#image}` }] } };
    const roles = foundationdb.roles.map((role) => ({ ...role, template }));
    await this.world.change(key, { cancelReplacementsForInstance: [], roles });
  }

  async #taintOrNot(): Promise<void> {
    const node = this.#tainted ?? `n${randomInteger(this.#random, 1, 10)}`;
    const taint = { key: 'example.com/maintenance', value: 'yes', effect: 'NoSchedule' };
    const taints = this.#tainted === undefined ? [taint] : null;
    this.#tainted = taints === null ? undefined : node;
    await this.world.people.patch(nodes, { name: node }, { type: 'merge', body: { spec: { taints } } }, { signal });
  }

  async #restartOperator(): Promise<void> {
    await this.world.killOperator();
    await this.world.pass(randomInteger(this.#random, 5, 60));
    this.world.startOperator();
  }

  async #cutTheLine(): Promise<void> {
    this.world.database(key).answer(this.#random.next() < 0.5 ? 'none' : 'partial');
    await this.world.pass(randomInteger(this.#random, 20, 200));
    this.world.database(key).answer('whole');
  }
}

const isMarked = ({ removalTimestamp, removingTimestamp }: StatefulClusterStatus['processGroups'][number]): boolean =>
  removalTimestamp !== null && removingTimestamp === null;

describe('whatever happens to a FoundationDB cluster, nothing is lost, everything ends, and then it is quiet', () => {
  test.each(Array.from({ length: runs }, (_, index) => first + index))('seed %i', async (seed) => {
    const world = new OperatedWorld({ seed });
    try {
      await world.begin();
      await world.create(key, { ...foundationdb, automationOptions: { waitBetweenRemovalsSeconds: 30, replacements } });
      expect(await world.until(() => world.isAtRest(key), 300)).toBe(true);
      const trouble = new Trouble(world, seed);
      for (let step = 0; step < steps; step++) {
        await trouble.strike();
        expect({ ...world.database(key).truth(), unavailable: [] }).toEqual({
          lost: [],
          unavailable: [],
          brokenQuorums: [],
        });
      }
      await trouble.end();
      expect(await world.until(() => world.isAtRest(key), 8 * 3600)).toBe(true);
      expect(world.database(key).truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
      await world.pass(700);
      const before = world.writes.length;
      await world.pass(1800);
      expect(world.writes.slice(before)).toEqual([]);
      expect(world.errors).toEqual([]);
    } finally {
      await world.end();
    }
  });
});
