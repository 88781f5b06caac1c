import { describeError } from '../../kube/error-description.ts';
import type { DemoWorld } from './world.ts';

/** The first thing that is lost or broken, by the models' own knowledge and not by what anybody reports; undefined: all is well. */
export function firstHarm({ databases, cluster }: DemoWorld): string | undefined {
  for (const { name, model } of databases) {
    const { lost, brokenQuorums } = model.truth();
    const [loss] = lost;
    if (loss !== undefined) return `${name} has lost data: ${loss.because}`;
    const [broken] = brokenQuorums;
    if (broken !== undefined)
      return `${name} has no quorum: ${broken.answering} of the ${broken.needed} that ${broken.quorum} needs answer`;
  }
  const [defect] = cluster.defects;
  return defect === undefined ? undefined : `the embedded cluster has a defect: ${describeError(defect).message}`;
}
