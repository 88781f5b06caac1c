import type { KeyText, KubeObject } from '../../../kube/object.ts';
import { keyText } from '../../../kube/object.ts';
import type { Uid } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';
import type { ProcessGroup } from '../../../model/process-group.ts';
import type { Belonging } from './belonging.ts';
import { belongingOf } from './belonging.ts';

/** What is kept of a Service. */
export interface ServiceView {
  readonly key: KeyText;
  readonly version: string;
  readonly belonging: Belonging | undefined;
  readonly uid: Uid;
  readonly deleting: boolean;
  /** The public address of its process group; null: none was given to it. */
  readonly address: string | null;
}

/** The projection of a cache of Services. */
export function serviceView(service: KubeObject & { readonly spec?: { readonly clusterIP?: string } }): ServiceView {
  const { metadata, spec } = service;
  const address = spec?.clusterIP ?? '';
  return {
    key: keyText(metadata),
    version: metadata.resourceVersion ?? '',
    belonging: belongingOf(service),
    uid: name(metadata.uid ?? ''),
    deleting: metadata.deletionTimestamp !== undefined,
    address: address === '' || address === 'None' ? null : address,
  };
}

/** A Service as a decision sees it. */
export const seenService = ({ deleting }: ServiceView): NonNullable<ProcessGroup['service']> =>
  deleting ? 'terminating' : 'present';
