import { z } from 'zod';
import { dataKey, objectName } from './names.schema.ts';

/** One value in a Secret of the object's own namespace. */
export function secretKeyReference(defaultKey: string) {
  return z.object({
    name: objectName.describe('The name of the Secret, in the namespace of this object.'),
    key: dataKey
      .default(defaultKey)
      .describe(`The key of the Secret's data that holds the value. Default ${defaultKey}.`),
  });
}

/** One value in a ConfigMap of the object's own namespace. */
export function configMapKeyReference(defaultKey: string) {
  return z.object({
    name: objectName.describe('The name of the ConfigMap, in the namespace of this object.'),
    key: dataKey
      .default(defaultKey)
      .describe(`The key of the ConfigMap's data that holds the value. Default ${defaultKey}.`),
  });
}

/** The certificates with which an engine is spoken to. */
export const tlsSecretReference = z
  .object({ name: objectName.describe('The name of the Secret, in the namespace of this object.') })
  .optional()
  .describe(
    'A Secret with ca.crt, which the server is checked against, and, where the server asks for a client certificate, tls.crt and tls.key. Absent: the connection is not encrypted.',
  );
