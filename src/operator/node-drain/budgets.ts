import { jsonCodec } from '../../kube/codec.ts';
import type { Informer, Readable } from '../../kube/informer.ts';
import { selects } from '../../kube/label-selection.ts';
import type { KeyText } from '../../kube/object.ts';
import { keyText } from '../../kube/object.ts';
import type { LabelSelector } from '../../kube/resources.ts';
import type { ControllerContext } from '../controller.ts';
import type { PodView } from './pod-view.ts';
import type { Budget } from './resources.ts';
import { budgets } from './resources.ts';

interface BudgetView {
  readonly key: KeyText;
  readonly version: string;
  readonly namespace: string;
  /** undefined: selects nothing. */
  readonly selector: LabelSelector | undefined;
  readonly allowed: number;
}

/** The disruption budgets of the cluster, whoever made them. */
export class Budgets {
  readonly #informer: Informer<BudgetView, 'namespace'>;
  readonly informer: Readable;

  constructor({ informer }: Pick<ControllerContext, 'informer'>) {
    this.#informer = informer<BudgetView, 'namespace'>({
      resource: budgets,
      codec: jsonCodec<Budget, BudgetView>(({ metadata, spec, status }) => ({
        key: keyText(metadata),
        version: metadata.resourceVersion ?? '',
        namespace: metadata.namespace ?? '',
        selector: spec?.selector,
        allowed: status?.disruptionsAllowed ?? 0,
      })),
      key: ({ key }) => key,
      version: ({ version }) => version,
      indexes: { namespace: ({ namespace }) => [namespace] },
    });
    this.informer = this.#informer;
  }

  /** Those that select a pod, in order. */
  over({ namespace, labels }: Pick<PodView, 'namespace' | 'labels'>): readonly KeyText[] {
    return this.#informer.cache
      .find('namespace', namespace)
      .filter(({ selector }) => selector !== undefined && selects(selector, labels))
      .map(({ key }) => key)
      .sort();
  }

  /** How many disruptions it allows now. */
  allowedBy(budget: KeyText): number {
    return this.#informer.cache.get(budget)?.allowed ?? 0;
  }

  /** Which state of it is known. */
  versionOf(budget: KeyText): string {
    return this.#informer.cache.get(budget)?.version ?? '';
  }

  /** Tells when a budget came, went, or allows something. */
  subscribe(hear: () => void): () => void {
    return this.#informer.cache.subscribe({
      added: hear,
      updated: ({ allowed }, before) => {
        if (allowed > before.allowed) hear();
      },
      deleted: hear,
    });
  }
}
