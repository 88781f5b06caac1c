import { clone, isObject, type JsonObject, objectAt, textAt } from '../../api-server/json.ts';
import { rememberedView } from '../remembered-view.ts';
import { textsAt } from '../texts.ts';

/** Who makes pods from a template. */
export interface Maker {
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: JsonObject;
}

/** A pod from the template of its maker, owned by it. The spec belongs to the caller. */
export function podFromTemplate({ apiVersion, kind, object }: Maker): {
  readonly metadata: {
    readonly namespace: string;
    readonly labels: Record<string, string>;
    readonly annotations: Record<string, string>;
    readonly ownerReferences: readonly {
      readonly apiVersion: string;
      readonly kind: string;
      readonly name: string;
      readonly uid: string;
      readonly controller: boolean;
      readonly blockOwnerDeletion: boolean;
    }[];
  };
  readonly spec: JsonObject;
} {
  const template = objectAt(object, 'spec', 'template');
  const spec = clone(template['spec']);
  const name = textAt(object, 'metadata', 'name');
  const uid = textAt(object, 'metadata', 'uid');
  return {
    metadata: {
      namespace: textAt(object, 'metadata', 'namespace'),
      labels: { ...textsAt(template, 'metadata', 'labels') },
      annotations: { ...textsAt(template, 'metadata', 'annotations') },
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: isObject(spec) ? spec : {},
  };
}

/** A short name for the content of a template: the same for the same template (FNV-1a over its JSON). */
export const templateHash = rememberedView((object) => {
  const text = JSON.stringify(objectAt(object, 'spec', 'template'));
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash.toString(36).padStart(7, '0');
});
