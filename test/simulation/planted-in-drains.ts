import type { PlantedBug } from './planted-bug.ts';

/** Mistakes in what people meet when they drain: lock, webhook, guard and NodeDrain. */
export const drainBugs: readonly PlantedBug[] = [
  {
    name: 'a guard opens the lock before the grant is on record',
    file: 'src/operator/eviction-guard/round.ts',
    right: `  await parts.record(guard, made, signal);
  publish(context.desk, guardOf(guard), made);
`,
    wrong: `  for (const action of made.decision.actions) await act(parts, { guard, engine, made }, action, signal);
  await parts.record(guard, made, signal);
  publish(context.desk, guardOf(guard), made);
`,
    scenario: 'drains',
  },
  {
    name: 'the lock locks nothing',
    file: 'src/operator/lock/lock-budget.ts',
    right: 'const moreThanThereCanBe = 2_147_483_647;',
    wrong: 'const moreThanThereCanBe = 0;',
    scenario: 'drains',
  },
  {
    name: 'the webhook allows what may go and grants nothing',
    file: 'src/operator/admission/judge-eviction.ts',
    right: "'allow' ? { is: 'may-go' } :",
    wrong: "'allow' ? answered({ allowed: true }) :",
    scenario: 'drains',
  },
  {
    name: 'the webhook does not write down who asks',
    file: 'src/operator/admission/eviction-desk.ts',
    right: "    this.#desk.ask(found.guard, found.guarded.pod.uid, request.by, as === 'cover');\n",
    wrong: '',
    scenario: 'drains',
  },
  {
    name: 'a caller waits for his grant for as long as it takes',
    file: 'src/operator/admission/eviction-desk.ts',
    right: 'const mostPatience = millis(2000);',
    wrong: 'const mostPatience = millis(20_000);',
    scenario: 'drains',
  },
  {
    name: 'neither an uncordon nor silence takes back who asked',
    file: 'src/operator/lock/gather-asks.ts',
    right: "  source === 'Eviction' &&\n  isLeavingNow(",
    wrong: "  source === 'Cordon' &&\n  isLeavingNow(",
    also: {
      right: 'const lapsedFor = seconds(660);',
      wrong: 'const lapsedFor = seconds(660_000);',
    },
    scenario: 'drains',
  },
  {
    name: 'a NodeDrain that is given up leaves its nodes cordoned',
    file: 'src/operator/node-drain/cancel.ts',
    right: '(isDone ? leaveCordoned : uncordon)(',
    wrong: '(isDone ? uncordon : leaveCordoned)(',
    scenario: 'drains',
  },
  {
    name: 'a NodeDrain evicts whatever its guard says',
    file: 'src/plan/plan-drain.ts',
    right: "  if (byOthers.outlook !== 'may-go') return waitingFor(pod, byOthers);\n",
    wrong: '',
    scenario: 'drains',
  },
];
