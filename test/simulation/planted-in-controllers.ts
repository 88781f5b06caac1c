import type { PlantedBug } from './planted-bug.ts';

/** Mistakes in the operator's own controller and in the engine that it speaks to: only runs with FoundationDB clusters have either. */
export const controllerBugs: readonly PlantedBug[] = [
  {
    name: 'the controller acts before it records',
    file: 'src/operator/stateful-cluster/round.ts',
    right: `  await parts.record(cluster, made, signal);
  publish(context.desk, guardOf(cluster), made);
`,
    wrong: `  for (const action of made.decision.actions) await act(parts, { cluster, engine, made }, action, signal);
  await parts.record(cluster, made, signal);
  publish(context.desk, guardOf(cluster), made);
`,
    scenario: 'foundationdb',
  },
  {
    name: 'an exclusion that was taken is taken for drained',
    file: 'src/engines/foundationdb/drained.ts',
    right: '  if ((roles !== undefined && roles.length > 0) || isCoordinator(process, coordinators)) return false;\n',
    wrong: '  if (roles !== undefined) return true;\n',
    scenario: 'foundationdb',
  },
  {
    name: 'the status is written whether it changed or not',
    file: 'src/operator/stateful-cluster/controller.ts',
    right: '    if (!sameStatus(status, cluster.status)) await',
    wrong: '    if (!sameStatus(status, {} as typeof status)) await',
    scenario: 'foundationdb',
  },
  {
    name: 'the status is written over a newer one, and what was read before is believed',
    file: 'src/operator/stateful-cluster/controller.ts',
    right: 'statefulClusters, object, status, signal)',
    wrong: 'statefulClusters, { ...object, resourceVersion: undefined }, status, signal)',
    also: {
      right: '    const object = await this.#context.client.find(statefulClusters, parseKey(key), { signal, last });\n',
      wrong: `    const kept: { seen?: KubeObject | undefined; at?: number } = this.#parts.notes;
    if (kept.seen === undefined || this.#context.clock.now() - (kept.at ?? 0) > 20_000) {
      kept.seen = await this.#context.client.find(statefulClusters, parseKey(key), { signal, last });
      kept.at = this.#context.clock.now();
    }
    const object = kept.seen;
`,
    },
    scenario: 'foundationdb',
  },
  {
    name: 'what was excluded stays excluded',
    file: 'src/engines/foundationdb/include.ts',
    right: '  if (words.length === 0) return before;\n',
    wrong: '  if (words.length !== -1) return before;\n',
    scenario: 'foundationdb',
  },
  {
    name: 'coordinators are never moved',
    file: 'src/engines/foundationdb/hand-off.ts',
    right: '  if (chosen === undefined) return;\n',
    wrong: '  if (chosen !== null) return;\n',
    scenario: 'foundationdb',
  },
  {
    name: 'the number of the next process group is not kept',
    file: 'src/operator/stateful-cluster/recorded.ts',
    right: '    nextGroupNumber: status.nextProcessGroupNumber,',
    wrong: '    nextGroupNumber: 1,',
    scenario: 'foundationdb',
  },
  {
    name: "the engine's last answer is good for five minutes",
    file: 'src/operator/engine-room/engine-room.ts',
    right: 'const goodFor = seconds(2);',
    wrong: 'const goodFor = seconds(300);',
    also: {
      right: '    if (seat !== undefined) seat.heard = undefined;\n',
      wrong: '',
    },
    scenario: 'foundationdb',
  },
  {
    name: 'what is down and leaves is left down',
    file: 'src/plan/recreate.ts',
    right: ' || mustRunToLeave(survey, group);',
    wrong: ';',
    scenario: 'upgrades',
  },
  {
    name: 'a pod is made again that would be the same',
    file: 'src/operator/stateful-cluster/as-made.ts',
    right: '  return specHash !== hashAsMade(cluster, role, kept);',
    wrong: "  return specHash !== '' || hashAsMade(cluster, role, kept) === '';",
    scenario: 'foundationdb',
  },
  {
    name: 'a seat is counted on for as long as the engine hears it',
    file: 'src/plan/recreate.ts',
    right: "isTrue(responds) && standingOf(survey, process).is === 'yes' ? [process] : []",
    wrong: 'isTrue(responds) && standingOf(survey, process) !== undefined ? [process] : []',
    scenario: 'foundationdb',
    seed: 200548,
  },
  {
    name: 'what never ran is not made again while it waits to be replaced',
    file: 'src/plan/recreate.ts',
    right: '  if (group.removal === null && isDown(survey, group)) return true;\n',
    wrong: '',
    scenario: 'foundationdb',
    seed: 202294,
  },
  {
    name: 'a pod is deleted for what is not on record, because its zone is under maintenance',
    file: 'src/plan/observe-conditions.ts',
    right: "present || (condition === 'IncorrectPodSpec' && judge(facts) === true)",
    wrong: 'present',
    scenario: 'foundationdb',
    seed: 204080,
  },
  {
    name: 'one that never ran and has no volume goes whatever has come up in it',
    file: 'src/plan/taken-for-empty.ts',
    right: "claim === 'none' ? pod !== null && pod.deletingSince === null : !claim.deleting",
    wrong: "claim !== 'none' && !claim.deleting",
    scenario: 'foundationdb',
    seed: 204374,
  },
  {
    name: 'a cancel means only addresses that were missing when it was decided on',
    file: 'src/plan/undo-evacuation.ts',
    right: 'addresses: group.addresses,',
    wrong: 'addresses: formerAddresses(survey, group),',
    scenario: 'foundationdb',
    seed: 204222,
  },
];
