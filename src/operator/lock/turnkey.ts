import type { KubeClient } from '../../kube/client.ts';
import type { ObjectKey } from '../../kube/object.ts';
import { pods } from '../../kube/resources.ts';
import type { Action, Precondition } from '../../model/decision.ts';
import type { Desk } from './desk.ts';
import { closed, guardLabel, open } from './guard-label.ts';

type Turn = Extract<Action, { readonly act: 'let-go' | 'close' }>;

/** Opens and closes the lock for single pods of one namespace, and never for any pod but the one that the decision was made about. */
export class Turnkey {
  readonly #client: KubeClient;
  readonly #desk: Desk;
  readonly #namespace: string;
  readonly #isOpen: (pod: string) => boolean;

  /** `isOpen` says whether a pod is under no lock: its label is open, or its role has none. */
  constructor(client: KubeClient, desk: Desk, namespace: string, isOpen: (pod: string) => boolean) {
    this.#client = client;
    this.#desk = desk;
    this.#namespace = namespace;
    this.#isOpen = isOpen;
  }

  /**
   * Lets a pod go: opens the lock, and then either the one who asked and waits evicts it, or Drover does. Or closes the lock again. A pod that has
   * changed in the meantime is a conflict.
   */
  async turn(action: Turn, name: string, signal: AbortSignal): Promise<void> {
    const pod = { namespace: this.#namespace, name };
    if (action.act === 'close') return this.close(name, action.pod, signal);
    if (!this.#isOpen(name)) await this.#label(pod, action.pod, open, signal);
    if (this.#desk.letPass(action.pod.uid)) return;
    const done = this.#desk.evicts(action.pod.uid);
    try {
      await this.#client.evict(pod, { signal, preconditions: { uid: action.pod.uid } });
    } finally {
      done();
    }
  }

  /** Closes the lock for a pod, whoever opened it. */
  close(name: string, pod: Precondition, signal: AbortSignal): Promise<void> {
    return this.#label({ namespace: this.#namespace, name }, pod, closed, signal);
  }

  async #label(
    pod: ObjectKey,
    { uid, resourceVersion }: Precondition,
    to: typeof open | typeof closed,
    signal: AbortSignal,
  ): Promise<void> {
    const body = { metadata: { uid, resourceVersion, labels: { [guardLabel]: to } } };
    await this.#client.patch(pods, pod, { type: 'merge', body }, { signal, fieldManager: 'drover' });
  }
}
