import { subdomainName } from '../name-rules.ts';
import type { Strategy } from '../resource-definition.ts';

/** What most kinds do. */
export const standard: Strategy = {
  name: subdomainName,
  generation: false,
  unconditionalUpdate: true,
  createOnUpdate: false,
  returnsDeleted: false,
  collectsGarbage: true,
};
