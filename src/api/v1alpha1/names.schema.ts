import { z } from 'zod';
import { text } from '../field-types.ts';

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const qualified = `(${subdomain}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?`;

/** The longest that a qualified name can be: a domain, a slash and a name. */
const qualifiedLength = 253 + 1 + 63;

/** The name of a Secret or a ConfigMap. */
export const objectName = text({
  pattern: new RegExp(`^${subdomain}$`),
  maxLength: 253,
  says: 'must be a Kubernetes name: lower case letters, digits, dots and dashes, such as orders-tls',
});

/** The name of a Node. */
export const nodeName = text({
  pattern: new RegExp(`^${subdomain}$`),
  maxLength: 253,
  says: 'must be the name of a node: lower case letters, digits, dots and dashes, such as n1',
});

/** The name of a namespace. */
export const namespaceName = text({
  pattern: new RegExp(`^${label}$`),
  maxLength: 63,
  says: 'must be the name of a namespace: lower case letters, digits and dashes, such as longhorn-system',
});

/** The key of a label. */
export const labelKey = text({
  pattern: new RegExp(`^${qualified}$`),
  maxLength: qualifiedLength,
  says: 'must be a label key, such as kubernetes.io/hostname or topology.kubernetes.io/zone',
});

/** The value of a label. */
export const labelValue = text({
  pattern: /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/,
  maxLength: 63,
  says: 'must be a label value: letters, digits, dashes, dots and underscores, at most 63',
});

/** The key of a taint, or `*` for every key that no other entry names. */
export const taintKey = text({
  pattern: new RegExp(`^(\\*|${qualified})$`),
  maxLength: qualifiedLength,
  says: 'must be a taint key, such as example.com/maintenance, or * for every key that is not listed',
});

/** The name of a role: `storage`, `commit_proxy`, `member`. */
export const roleName = text({
  pattern: /^[a-z]([-_a-z0-9]*[a-z0-9])?$/,
  maxLength: 40,
  says: 'must be a role name: lower case letters, digits, dashes and underscores, beginning with a letter, such as storage',
});

/** The id of a process group: `storage-4711`, with the prefix in front where there is one. */
export const processGroupID = text({
  pattern: /^[a-z][-_a-z0-9]*-[0-9]+$/,
  maxLength: 63,
  says: 'must be a process group id as status.processGroups lists it, such as storage-4711',
});

/** The id of a process group, or `*` for all of them. */
export const processGroupTarget = text({
  pattern: /^(\*|[a-z][-_a-z0-9]*-[0-9]+)$/,
  maxLength: 63,
  says: 'must be a process group id as status.processGroups lists it, such as storage-4711, or * for all',
});

/** A key of a Secret or ConfigMap. */
export const dataKey = text({
  pattern: /^[-._a-zA-Z0-9]+$/,
  maxLength: 253,
  says: 'must be a key of the data: letters, digits, dashes, dots and underscores, such as token',
});

/** A name that Kubernetes or the engine gave: read and repeated, never judged. */
export const givenName = z.string().max(253);
