import { stringify } from 'yaml';
import { generatedNotice, type Output } from './output.ts';

/** Objects of the cluster, as one manifest. */
export function manifestFile(path: string, objects: () => readonly object[]): Output {
  return {
    path,
    content: () => {
      const documents = objects().map((object) => stringify(object, { lineWidth: 120, aliasDuplicateObjects: false }));
      return `# ${generatedNotice}\n${documents.join('---\n')}`;
    },
  };
}
