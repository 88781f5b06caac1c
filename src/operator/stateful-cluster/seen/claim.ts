import { z } from 'zod';
import type { KeyText, KubeObject } from '../../../kube/object.ts';
import { keyText } from '../../../kube/object.ts';
import type { Uid } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';
import type { Claim } from '../../../model/process-group.ts';
import type { VolumeView } from '../../seen/volume.ts';
import { madeFrom } from '../marks.ts';
import type { Belonging } from './belonging.ts';
import { belongingOf } from './belonging.ts';

/** What is kept of a volume claim. */
export interface ClaimView {
  readonly key: KeyText;
  readonly version: string;
  readonly belonging: Belonging | undefined;
  readonly uid: Uid;
  readonly specHash: string;
  /** The data of how many processes is on it; null: it does not say. */
  readonly processes: number | null;
  /** Which nodes its pod was made for; null: it does not say. */
  readonly nodeSelector: Readonly<Record<string, string>> | null;
  readonly deleting: boolean;
  /** The volume that it is bound to; empty: none yet. */
  readonly volume: string;
}

/** The projection of a cache of volume claims. */
export function claimView(claim: KubeObject & { readonly spec?: { readonly volumeName?: string } }): ClaimView {
  const { metadata, spec } = claim;
  return {
    key: keyText(metadata),
    version: metadata.resourceVersion ?? '',
    belonging: belongingOf(claim),
    uid: name(metadata.uid ?? ''),
    specHash: metadata.annotations?.[madeFrom.specHash] ?? '',
    processes: processesIn(metadata.annotations?.[madeFrom.processes]),
    nodeSelector: selectorIn(metadata.annotations?.[madeFrom.nodeSelector]),
    deleting: metadata.deletionTimestamp !== undefined,
    volume: spec?.volumeName ?? '',
  };
}

/** What a person wrote there by mistake says nothing. */
const processesIn = (text = ''): number | null => (/^[1-9]\d?$/.test(text) ? Number(text) : null);

const labels = z.record(z.string(), z.string());

function selectorIn(text = ''): ClaimView['nodeSelector'] {
  try {
    return labels.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** A claim as a decision sees it. Without its volume, or with another one, the data counts as tied to the node. */
export function seenClaim({ uid, specHash, deleting, volume }: ClaimView, bound?: VolumeView): Claim {
  return { uid, specHash, deleting, travels: bound !== undefined && bound.key === volume && bound.travels };
}
