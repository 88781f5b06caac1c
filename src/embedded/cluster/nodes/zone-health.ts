import { type NodeView, readiness, zoneOf } from '../node-view.ts';

/**
 * How many nodes of a zone may be tainted NoExecute in a second. Where many nodes fail together it is more likely the network than the nodes,
 * so the node controller gets slower, and stops when everything seems to be down.
 */
export interface ZoneHealth {
  /** Zero: none. */
  readonly taintedPerSecond: number;
}

type ZoneState = 'normal' | 'partly-down' | 'down';

/** `--large-cluster-size-threshold`, `--unhealthy-zone-threshold`, `--secondary-node-eviction-rate` */
const largeZone = 50;
const unhealthyShare = 0.55;
const slowRate = 0.01;

/** Every zone at this moment, after `handleDisruption` of the node lifecycle controller. */
export function zoneHealth(nodes: readonly NodeView[], usualRate: number): ReadonlyMap<string, ZoneHealth> {
  const zones = Map.groupBy(nodes, zoneOf);
  const isAllDown = nodes.length > 0 && [...zones.values()].every((zone) => stateOf(zone) === 'down');
  return new Map(
    [...zones].map(([name, zone]) => [name, { taintedPerSecond: isAllDown ? 0 : rateOf(zone, usualRate) }]),
  );
}

/** Whether not one node of the cluster is ready. */
export function isEverythingDown(nodes: readonly NodeView[]): boolean {
  return nodes.length > 0 && nodes.every((node) => readiness(node) !== 'True');
}

function stateOf(zone: readonly NodeView[]): ZoneState {
  const unready = zone.filter((node) => readiness(node) !== 'True').length;
  if (unready === zone.length) return 'down';
  return unready > 2 && unready / zone.length >= unhealthyShare ? 'partly-down' : 'normal';
}

function rateOf(zone: readonly NodeView[], usualRate: number): number {
  if (stateOf(zone) !== 'partly-down') return usualRate;
  return zone.length > largeZone ? slowRate : 0;
}
