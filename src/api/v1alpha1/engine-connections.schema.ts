import { z } from 'zod';
import { text, wholeNumber } from '../field-types.ts';
import { withRules } from '../rule.ts';
import { namespaceName, objectName } from './names.schema.ts';
import { configMapKeyReference, secretKeyReference, tlsSecretReference } from './secret-reference.schema.ts';

/** How each engine is reached. What is absent has a default, so that `etcd: {}` and no `etcd` at all mean the same. */

function port(usual: number) {
  return wholeNumber({ min: 1, max: 65_535 })
    .default(usual)
    .describe(`The port that the server listens on in each pod. Default ${usual}.`);
}

const filePath = text({
  pattern: /^[-./_a-zA-Z0-9]+$/,
  maxLength: 512,
  says: 'must be a file name or path: letters, digits, dashes, dots, underscores and slashes, such as /usr/bin/fdbcli',
});

const fdbcli = z.object({
  runIn: z
    .enum(['Pod', 'Operator'])
    .default('Pod')
    .describe(
      "Where fdbcli runs. Pod: inside a running pod of the cluster, through exec, so that its version always fits. Operator: as a program in the operator's own container. Default Pod.",
    ),
  container: text({
    pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
    maxLength: 63,
    says: "must be a container's name: lower case letters, digits and dashes, such as foundationdb",
  })
    .default('foundationdb')
    .describe('The container that has fdbcli, for runIn Pod. Default foundationdb.'),
  path: filePath
    .default('fdbcli')
    .describe('The program: a name that is looked up on the PATH, or a whole path. Default fdbcli.'),
  timeoutSeconds: wholeNumber({ min: 1, max: 600 })
    .default(10)
    .describe(
      'How long one command may take. status, exclude, coordinators and configure, which ask every process or wait for a recovery, may take 40 seconds where this is less. A command that takes longer counts as unanswered, never as done. Default 10.',
    ),
});

/** FoundationDB as it is read and told: what both kinds need. */
export const foundationdbConnection = {
  fdbcli: fdbcli
    .prefault({})
    .describe(
      'How fdbcli is run; every question and every command to FoundationDB goes through it. Default: in a pod of the cluster.',
    ),
  connectionString: configMapKeyReference('cluster-file')
    .optional()
    .describe(
      'The ConfigMap that holds the connection string (the content of a cluster file). Absent: a StatefulCluster uses the one that Drover keeps up to date; a guard relies on the cluster file inside the pod, which needs fdbcli.runIn Pod.',
    ),
};

/** ArangoDB's HTTP interface. */
export const arangodbConnection = z.object({
  mode: z
    .enum(['Cluster', 'ActiveFailover', 'Single'])
    .default('Cluster')
    .describe(
      'How the deployment is built: Cluster (agents, dbservers, coordinators), ActiveFailover (agents and singles) or Single. The rules for a single server differ by it. Default Cluster.',
    ),
  port: port(8529),
  jwtSecretRef: secretKeyReference('token')
    .optional()
    .describe(
      'The secret from which Drover signs its superuser tokens, the same that the servers start with. Absent: the servers ask for none.',
    ),
  tlsSecretRef: tlsSecretReference,
});

/** Longhorn's custom resources. */
export const longhornConnection = z.object({
  namespace: namespaceName
    .default('longhorn-system')
    .describe('The namespace in which Longhorn and its custom resources live. Default longhorn-system.'),
});

/** etcd's HTTP gateway. */
export const etcdConnection = z.object({
  port: port(2379),
  credentialsSecretRef: z
    .object({ name: objectName.describe('The name of the Secret, in the namespace of this object.') })
    .optional()
    .describe('A Secret with username and password, for an etcd with authentication. Absent: Drover does not log in.'),
  tlsSecretRef: tlsSecretReference,
});

/** A Redis cluster. */
export const redisConnection = z.object({
  port: port(6379),
  username: text({
    pattern: /^[!-~]+$/,
    maxLength: 128,
    says: 'must be a user name without spaces, such as drover',
  })
    .optional()
    .describe('The ACL user. Absent: the default user.'),
  passwordSecretRef: secretKeyReference('password')
    .optional()
    .describe('The password. Absent: Drover does not log in.'),
  tlsSecretRef: tlsSecretReference,
});

/** Any system that serves Drover's three endpoints. */
export const httpConnection = withRules(
  z.object({
    url: text({
      pattern: /^https?:\/\/[^\s/?#@]+[^\s?#]*$/,
      maxLength: 1024,
      says: 'must be an http or https address without user, query or fragment, such as http://orders-admin.db:8080',
    })
      .optional()
      .describe(
        "The address of one server that answers for the whole cluster; the contract's paths (/drover/v1/...) follow. Either url or port.",
      ),
    port: wholeNumber({ min: 1, max: 65_535 })
      .optional()
      .describe(
        'The port on which each pod answers; any pod that responds is asked for the whole cluster. Either url or port.',
      ),
    path: text({
      pattern: /^\/[^\s?#]*$/,
      maxLength: 512,
      says: 'must be a path that begins with a slash, without query or fragment, such as /admin',
    })
      .default('/')
      .describe("What stands before the contract's paths (/drover/v1/...), for port. Default /."),
    timeoutSeconds: wholeNumber({ min: 1, max: 600 })
      .default(10)
      .describe('How long one request may take. Default 10.'),
    bearerTokenSecretRef: secretKeyReference('token')
      .optional()
      .describe('The token that is sent as Authorization: Bearer. Absent: none is sent.'),
    tlsSecretRef: z
      .object({ name: objectName.describe('The name of the Secret, in the namespace of this object.') })
      .optional()
      .describe(
        "A Secret with ca.crt, which the server is checked against, and, where the server asks for a client certificate, tls.crt and tls.key. Absent: pods are spoken to without encryption, and an https url is checked against the operator's own list of authorities.",
      ),
    tlsServerName: text({
      pattern: /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/,
      maxLength: 253,
      says: 'must be a host name, such as ledger.db.svc',
    })
      .optional()
      .describe(
        "The name that the server's certificate is for. Absent: the host of the url, or the address of the pod, which few certificates name.",
      ),
  }),
  {
    cel: 'has(self.url) != has(self.port)',
    message: 'set exactly one of url (one server answers for the cluster) and port (each pod answers)',
    holds: ({ url, port }) => (url === undefined) !== (port === undefined),
  },
  {
    cel: "!has(self.tlsSecretRef) || !has(self.url) || self.url.startsWith('https://')",
    message:
      'tlsSecretRef is of no use for a url that begins with http://; begin it with https://, or remove tlsSecretRef',
    fieldPath: '.tlsSecretRef',
    holds: ({ url, tlsSecretRef }) => tlsSecretRef === undefined || url === undefined || url.startsWith('https://'),
  },
);
