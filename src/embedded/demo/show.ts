import type { Clock } from '../../kube/clock.ts';
import { millis, sleep } from '../../kube/clock.ts';
import { maintenanceTaint } from './databases.ts';
import type { Demo } from './demo.ts';
import { look } from './look.ts';
import { GroupWatcher } from './look-at-groups.ts';
import type { ActOutcome } from './outcome.ts';
import { summaryOf } from './outcome.ts';
import { nodeToDrain, nodeToTaint } from './places.ts';
import type { Screen } from './screen.ts';
import type { ScreenAudience } from './screen-audience.ts';
import { view } from './view.ts';
import { DemoEnded } from './world.ts';

export interface ShowOptions {
  readonly clock: Clock;
  readonly speed: number;
  /** Whether the story is played, or the cluster is the person's from the start. */
  readonly story: boolean;
  /** Shows the live view; undefined: everything is told in lines. */
  readonly screen: Screen | undefined;
  readonly say: (line: string) => void;
}

const redrawEvery = millis(150);

/** What a person sees and hears of a running demo. */
export class Show {
  readonly #demo: Demo;
  readonly #options: ShowOptions;
  readonly #kubeconfig: string;

  constructor(demo: Demo, options: ShowOptions, kubeconfig: string) {
    this.#demo = demo;
    this.#options = options;
    this.#kubeconfig = kubeconfig;
  }

  /** Shows the live view until the demo ends, or says in lines where to look. */
  async open(startedIn: number, watcher: ScreenAudience | undefined): Promise<void> {
    const { screen, say } = this.#options;
    if (screen !== undefined && watcher !== undefined) return this.#drawUntilEnd(screen, watcher);
    const names = this.#demo.world.databases.map(({ name }) => name).join(', ');
    say(
      `9 nodes in 3 zones with ${names}, started in ${(startedIn / 1000).toFixed(1)} s. Look around from another terminal:`,
    );
    for (const hint of this.#hints()) say(`  ${hint}`);
  }

  /** The story where one is wanted, and then the time until the demo is stopped: for a person who watches, or who wanted no story. */
  async play(audience: ScreenAudience | undefined): Promise<readonly ActOutcome[]> {
    const { story, screen, say } = this.#options;
    let outcomes: readonly ActOutcome[] = [];
    try {
      if (story) outcomes = await this.#demo.play();
      if (story && screen === undefined) say(`\n${summaryOf(outcomes)}`);
      audience?.over(story ? 'The story is over, and the cluster is yours' : 'The cluster is yours', [
        ...(story
          ? [{ kind: isWell(outcomes) ? ('result' as const) : ('failure' as const), text: summaryOf(outcomes) }]
          : []),
        { kind: 'plan' as const, text: invitation },
      ]);
      if (screen !== undefined || !story) await untilAborted(this.#demo.world.signal);
    } catch (error) {
      if (!(error instanceof DemoEnded)) throw error;
    }
    const { reason } = this.#demo.world.signal;
    if (this.#demo.world.signal.aborted && !(reason instanceof DemoEnded)) throw reason;
    return outcomes;
  }

  async #drawUntilEnd(screen: Screen, audience: ScreenAudience): Promise<void> {
    screen.open();
    const { clock, speed } = this.#options;
    const { world, chronicle } = this.#demo;
    const looker = { world, chronicle, groups: new GroupWatcher(), speed };
    while (!world.signal.aborted) {
      screen.draw(view(look(looker, audience, this.#hints()), screen.size));
      await sleep(clock, redrawEvery, world.signal).catch(() => {});
    }
  }

  #hints(): readonly string[] {
    return [
      `export KUBECONFIG=${this.#kubeconfig}`,
      'kubectl get statefulclusters,pods,pdb -A -o wide',
      `kubectl drain ${nodeToDrain(this.#demo.world)} --ignore-daemonsets`,
      `kubectl taint node ${nodeToTaint(this.#demo.world)} ${maintenanceTaint}=yes:NoSchedule`,
    ];
  }
}

const invitation =
  'Drain a node from another terminal, with kubectl or with `drover drain`, and read why it waits; `kubectl uncordon`, or after the latter `drover uncordon`, takes it back. Or taint one, and watch Drover replace what is on it; a minus at the end of the taint takes that back.';

const isWell = (outcomes: readonly ActOutcome[]): boolean => outcomes.every(({ passed }) => passed);

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
