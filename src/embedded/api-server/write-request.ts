import type { FieldValidation } from './decode-body.ts';
import type { JsonObject } from './json.ts';
import type { ResourceDefinition } from './resource-definition.ts';

/** Who asks, as admission sees it. */
export interface UserInfo {
  readonly username: string;
  readonly groups: readonly string[];
}

/** A change that somebody wants, apart from the change itself. */
export interface WriteRequest {
  readonly definition: ResourceDefinition;
  readonly namespace: string;
  /** Empty where the name is to be made, or stands in the object. */
  readonly name: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  /** Who owns the written fields. */
  readonly manager: string;
  readonly fieldValidation: FieldValidation;
  /** What the answer will warn of. */
  readonly warnings: string[];
}

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/**
 * Asks everyone who may refuse a change. Returns undefined when nobody has to be waited for, which is nearly always; the state may have moved
 * when the promise resolves. Throws or rejects with the refusal.
 */
export type Admit = (
  operation: Operation,
  write: WriteRequest,
  object: JsonObject | undefined,
  old: JsonObject | undefined,
) => Promise<void> | undefined;
