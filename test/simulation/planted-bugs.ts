import type { PlantedBug } from './planted-bug.ts';
import { controllerBugs } from './planted-in-controllers.ts';
import { drainBugs } from './planted-in-drains.ts';

/** A check dropped, an order swapped, a limit off by one, grants not joint, a stale view trusted, the record after the act. */
export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'the record is written after the act',
    seed: 1,
    file: 'src/embedded/stand-in/stand-in.ts',
    right: `    await this.#keeper.write(after, signal);
    for (const action of decision.actions) await this.#act(action, isMadeAgain, signal);`,
    wrong: `    for (const action of decision.actions) await this.#act(action, isMadeAgain, signal);
    await this.#keeper.write(after, signal);`,
  },
  {
    name: 'a failed write is taken for done',
    seed: 19,
    file: 'src/embedded/stand-in/stand-in.ts',
    right: `      this.#keeper.forget();
`,
    wrong: '',
  },
  {
    name: 'everything is written whether it changed or not',
    seed: 1,
    file: 'src/embedded/stand-in/record.ts',
    right: 'if (text === before) return;',
    wrong: '',
  },
  {
    name: 'nobody notes what the engine has forgotten',
    seed: 1,
    file: 'src/embedded/stand-in/stand-in.ts',
    right: `      if (told !== undefined) this.#keeper.noteTold(told);
`,
    wrong: '',
  },
  {
    name: 'a quorum needs one less than it says',
    seed: 35,
    file: 'src/rules/quorum.ts',
    right: '  if (left >= quorum.needed) return holds;',
    wrong: '  if (left >= quorum.needed - 1) return holds;',
  },
  {
    name: 'a command that was given is taken for done',
    seed: 1,
    file: 'src/plan/verify-drained.ts',
    right: "  return finding.finding === 'holds' ? undefined : draining;",
    wrong: '  return undefined;',
  },
  {
    name: 'the dead are removed whatever they held',
    seed: 6,
    file: 'src/plan/removability.ts',
    right: `  if (answer.kind !== 'allow') return stay(...answer.reasons);
  const why = \`\${because}, and`,
    wrong: `  const why = \`\${because}, and`,
  },
  {
    name: 'one replacement more than the limit',
    seed: 2,
    file: 'src/plan/in-flight.ts',
    right: 'return inFlight < cap ? undefined',
    wrong: 'return inFlight <= cap ? undefined',
  },
  {
    name: 'removals do not wait for each other',
    seed: 2,
    file: 'src/plan/remove.ts',
    right: '  if (due !== undefined && now < due) {',
    wrong: '  if (due !== undefined && now < 0) {',
  },
  {
    name: 'all lots are removed at once',
    seed: 18,
    file: 'src/plan/lots.ts',
    right: "  if (mode === 'All') return",
    wrong: "  if (mode !== 'Zone') return",
  },
  {
    name: 'zones that are unavailable are not counted',
    seed: 15,
    file: 'src/plan/unavailable-zones.ts',
    right: 'for (const group of snapshot.processGroups) if (isUnavailable(group)) this.add(group);',
    wrong: '',
  },
  {
    name: 'leadership is handed to those that leave too',
    seed: 6,
    file: 'src/plan/leadership.ts',
    right: '    if (takers.some((taker) => stays(survey, taker, goesFirst))) canHandOff.add(leader);',
    wrong: '    if (takers.length > 0) canHandOff.add(leader);',
  },
  {
    name: 'a cancel comes too late for what is drained',
    file: 'src/plan/held-by-cancel.ts',
    right: '(groups.get(id)?.removingAt ?? null) === null;',
    wrong: '(groups.get(id)?.drainedAt ?? null) === null;',
  },
  {
    name: 'the same id is given out twice',
    seed: 2,
    file: 'src/plan/apply-records.ts',
    right: '        nextGroupNumber = Math.max(nextGroupNumber, record.number + 1);\n',
    wrong: '',
  },
  {
    name: 'nobody is woken when time is up',
    seed: 1,
    file: 'src/plan/step.ts',
    right: 'return this.wake(reason.until ?? undefined);',
    wrong: 'return this;',
  },
  {
    name: 'a drain that was given up is not undone',
    seed: 1,
    file: 'src/plan/evacuate-asked.ts',
    right: '} else if (group.evacuationAt !== null) undo(survey, group, step);',
    wrong: '}',
  },
  {
    name: 'a condition is never cleared',
    seed: 1,
    file: 'src/plan/observe-conditions.ts',
    right: "  if (!holds && present) step.record({ record: 'condition-cleared', group: group.id, condition });",
    wrong: '',
  },
  {
    name: 'pods are made again one after the other without looking',
    file: 'src/plan/recreate.ts',
    right: '  const unsettled = settling(survey);',
    wrong: '  const unsettled = undefined as ReturnType<typeof settling>;',
  },
  {
    name: 'a pod that is made again is not asked about',
    seed: 26,
    file: 'src/plan/recreate.ts',
    right: "    if (answer.kind === 'allow') {\n      after",
    wrong: '    if (answer.kind !== null) {\n      after',
  },
  {
    name: 'evictions are always allowed',
    seed: 6,
    file: 'src/rules/verdict.ts',
    right: "  const question = askAbout('eviction', survey, group);\n",
    wrong:
      "  const question = askAbout('eviction', survey, group);\n  if (rules.holdsData) return { kind: 'allow' };\n",
  },
  {
    name: "the engine's word is good enough, whatever Kubernetes says of the pod",
    seed: 10,
    file: 'src/rules/standing.ts',
    right: '  if (lost !== undefined) return notRelied(lost);',
    wrong: '',
  },
  {
    name: 'unknown is taken for drained',
    file: 'src/rules/drained.ts',
    right:
      "  if (processes.some((process) => process.drained === unknown)) return unknownWhether('whether it is drained');\n",
    wrong: '',
  },
  {
    name: 'stuck pods are deleted by force',
    seed: 31,
    file: 'src/embedded/stand-in/act-on-kubernetes.ts',
    right: '      return client.delete(pods, { namespace, name: action.group }, { signal, preconditions: { uid } });',
    wrong:
      '      return client.delete(pods, { namespace, name: action.group }, { signal, preconditions: { uid }, gracePeriodSeconds: 0 });',
  },
  {
    name: 'the claim goes before anything is recorded',
    seed: 1,
    file: 'src/plan/remove.ts',
    right: '    step.record(record);\n',
    wrong: '',
  },
  {
    name: 'grants are not joint',
    seed: 40,
    file: 'src/plan/grants.ts',
    right: '      another = id;\n',
    wrong: '',
    also: {
      right: "  if (eviction.kind !== 'allow') return eviction.reasons[0];\n",
      wrong: '',
    },
  },
  {
    name: "the engine's answer is kept for five minutes",
    seed: 5,
    file: 'src/embedded/stand-in/stand-in.ts',
    right: '      const seen = await this.#options.engine.observe(signal);\n',
    wrong: `      const fresh = await this.#options.engine.observe(signal);
      const kept: { seen?: typeof fresh } = this.#options;
      if (kept.seen === undefined || this.#now() - kept.seen.topology.observedAt > 300_000) kept.seen = fresh;
      const seen = { ...kept.seen, topology: { ...kept.seen.topology, observedAt: this.#now() } };
      kept.seen = { ...seen, topology: { ...seen.topology, observedAt: kept.seen.topology.observedAt } };
`,
  },
  {
    name: 'the engine is not told of a cancel',
    seed: 3,
    file: 'src/plan/undo-evacuation.ts',
    right: '  if (processes.some(({ excluded }) => isTrue(excluded))) return true;',
    wrong: '  if (processes.length > 0) return false;',
  },
  {
    name: 'an expired watch is never listed again',
    seed: 43,
    file: 'src/kube/reflector.ts',
    right: 'if (isGone(error) || isVersionFromTheFuture(error)) this.#version = undefined;',
    wrong: 'if (isVersionFromTheFuture(error)) this.#version = undefined;',
  },
  {
    name: 'one process group too few is made',
    seed: 1,
    file: 'src/plan/grow.ts',
    right: 'number: missing - waiting.length + successors,',
    wrong: 'number: missing - 1 - waiting.length + successors,',
  },
  ...controllerBugs,
  ...drainBugs,
];
