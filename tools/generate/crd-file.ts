import { stringify } from 'yaml';
import { crdOf, type DescribedKind } from '../../src/api/crd.ts';
import { group } from '../../src/api/kind.ts';
import { generatedNotice, type Output } from './output.ts';

/** The CRD of a kind, as a manifest. */
export function crdFile(kind: DescribedKind): Output {
  return {
    path: `deploy/crds/${group}_${kind.plural}.yaml`,
    content: () => `# ${generatedNotice}\n${stringify(crdOf(kind), { lineWidth: 120, aliasDuplicateObjects: false })}`,
  };
}
