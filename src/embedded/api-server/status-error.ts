import type { JsonObject } from './json.ts';

/** One cause in the details of a Status. */
export interface StatusCause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** A resource as messages name it: `pods`, `statefulsets.apps`. */
export interface GroupResource {
  readonly group: string;
  readonly plural: string;
}

/** The answer is no: a Kubernetes `Status`, thrown where the reason is found and written by whoever answers. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  toStatus(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      ...(this.message !== '' && { message: this.message }),
      ...(this.reason !== '' && { reason: this.reason }),
      ...(this.details !== undefined && { details: detailsToJson(this.details) }),
      code: this.code,
    };
  }
}

function detailsToJson(details: StatusDetails): JsonObject {
  const { name = '', group = '', kind = '', uid = '', causes = [], retryAfterSeconds = 0 } = details;
  return {
    ...(name !== '' && { name }),
    ...(group !== '' && { group }),
    ...(kind !== '' && { kind }),
    ...(uid !== '' && { uid }),
    ...(causes.length > 0 && { causes: causes.map((cause) => ({ ...cause })) }),
    ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
  };
}

/** `pods`, or `statefulsets.apps`. */
export function resourceText({ group, plural }: GroupResource): string {
  return group === '' ? plural : `${plural}.${group}`;
}

const detailsOf = ({ group, plural }: GroupResource, name: string) => ({ name, group, kind: plural });

export const notFound = (resource: GroupResource, name: string) =>
  new StatusError(404, 'NotFound', `${resourceText(resource)} "${name}" not found`, detailsOf(resource, name));

export const noSuchResource = () =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});

export const methodNotAllowed = () =>
  new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const alreadyExists = (resource: GroupResource, name: string, isDeleting: boolean) =>
  new StatusError(
    409,
    'AlreadyExists',
    `${isDeleting ? 'object is being deleted: ' : ''}${resourceText(resource)} "${name}" already exists`,
    detailsOf(resource, name),
  );

export const conflict = (resource: GroupResource, name: string, why: string) =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${resourceText(resource)} "${name}": ${why}`,
    detailsOf(resource, name),
  );

export const modified = (resource: GroupResource, name: string) =>
  conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );

export const badRequest = (message: string) => new StatusError(400, 'BadRequest', message);

export const forbidden = (resource: GroupResource, name: string, why: string, causes?: readonly StatusCause[]) =>
  new StatusError(403, 'Forbidden', `${resourceText(resource)} "${name}" is forbidden: ${why}`, {
    ...detailsOf(resource, name),
    ...(causes !== undefined && { causes }),
  });

export const internalError = (message: string) =>
  new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });

export const unsupportedMediaType = (message: string) => new StatusError(415, 'UnsupportedMediaType', message, {});

/** What a patch gets that does not fit the object: the real server keeps the reason to itself. */
export const rejectedPatch = () =>
  new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

export const expired = (message: string) => new StatusError(410, 'Expired', message);

export const versionTooLarge = (asked: string, current: number) =>
  new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
