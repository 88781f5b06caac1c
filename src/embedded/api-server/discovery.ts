import { createHash } from 'node:crypto';
import { type Answer, jsonAnswer, pageNotFound } from './answer.ts';
import type { JsonObject } from './json.ts';
import { openApiDocument } from './openapi.ts';
import { apiVersionOf, type ResourceDefinition } from './resource-definition.ts';
import type { ServerRequest } from './server-request.ts';
import type { World } from './world.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** Verbs and kind of the parts that have paths of their own. */
const parts: Readonly<
  Record<string, { readonly verbs: readonly string[]; readonly kind?: readonly [string, string, string] }>
> = {
  status: { verbs: ['get', 'patch', 'update'] },
  scale: { verbs: ['get', 'patch', 'update'], kind: ['autoscaling', 'v1', 'Scale'] },
  eviction: { verbs: ['create'], kind: ['policy', 'v1', 'Eviction'] },
  binding: { verbs: ['create'], kind: ['', 'v1', 'Binding'] },
  finalize: { verbs: ['update'] },
};

/** The version that this server says it is: that of the real one to which it is held. */
const version = { major: '1', minor: '36', gitVersion: 'v1.36.3', platform: 'drover/embedded' };

interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ResourceDefinition[];
}

/** Tells clients what is served: discovery, old and aggregated, OpenAPI, version and health. */
export class Discovery {
  readonly #world: World;
  readonly #documents = new Map<string, JsonObject>();
  #generation = -1;

  constructor(world: World) {
    this.#world = world;
  }

  /** Undefined where the path is that of a resource. */
  answer({ method, path, headers }: ServerRequest): Answer | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const [bare = ''] = path.split('?', 1);
    const steps = bare.split('/').filter((step) => step !== '');
    const accept = headers['accept'] ?? '';
    switch (steps[0]) {
      case 'version':
        return jsonAnswer(200, {
          ...version,
          gitCommit: '',
          gitTreeState: 'clean',
          buildDate: '',
          goVersion: '',
          compiler: '',
        });
      case 'healthz':
      case 'livez':
      case 'readyz':
        return { status: 200, contentType: 'text/plain; charset=utf-8', body: 'ok' };
      case 'openapi':
        return steps[1] === 'v3' ? this.#openApi(steps.slice(2)) : pageNotFound;
      case 'api':
        return steps.length < 3 ? this.#core(steps, accept) : undefined;
      case 'apis':
        return steps.length < 4 ? this.#named(steps, accept) : undefined;
      default:
        return undefined;
    }
  }

  #core(steps: readonly string[], accept: string): Answer {
    if (steps.length === 2) return this.#resources('', steps[1] ?? '');
    if (isAggregated(accept)) return aggregated(this.#groupVersions().filter(({ group }) => group === ''));
    return jsonAnswer(200, { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] });
  }

  #named(steps: readonly string[], accept: string): Answer {
    const [, group, name] = steps;
    const named = this.#groupVersions().filter((each) => each.group !== '');
    if (group === undefined) {
      if (isAggregated(accept)) return aggregated(named);
      const groups = [...new Set(named.map((each) => each.group))].map((each) => groupOf(each, named));
      return jsonAnswer(200, { kind: 'APIGroupList', apiVersion: 'v1', groups });
    }
    if (!named.some((each) => each.group === group)) return pageNotFound;
    if (name !== undefined) return this.#resources(group, name);
    return jsonAnswer(200, { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group, named) });
  }

  #resources(group: string, version: string): Answer {
    const found = this.#groupVersions().find((each) => each.group === group && each.version === version);
    if (found === undefined) return pageNotFound;
    return jsonAnswer(200, {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: apiVersionOf(found),
      resources: found.resources.flatMap(legacyResources),
    });
  }

  #openApi(steps: readonly string[]): Answer {
    if (this.#generation !== this.#world.kinds.generation) {
      this.#generation = this.#world.kinds.generation;
      this.#documents.clear();
    }
    if (steps.length > 0) {
      const [root, ...rest] = steps;
      const [group = '', version = ''] = root === 'api' ? ['', ...rest] : rest;
      return this.#groupVersions().some((each) => each.group === group && each.version === version)
        ? jsonAnswer(200, this.#document(group, version))
        : pageNotFound;
    }
    const paths: JsonObject = {};
    for (const { group, version } of this.#groupVersions()) {
      const key = group === '' ? `api/${version}` : `apis/${group}/${version}`;
      const hash = createHash('sha512')
        .update(JSON.stringify(this.#document(group, version)))
        .digest('hex')
        .toUpperCase();
      paths[key] = { serverRelativeURL: `/openapi/v3/${key}?hash=${hash}` };
    }
    return jsonAnswer(200, { paths });
  }

  #document(group: string, version: string): JsonObject {
    const key = `${group}/${version}`;
    let document = this.#documents.get(key);
    if (document === undefined) {
      const resources =
        this.#groupVersions().find((each) => each.group === group && each.version === version)?.resources ?? [];
      document = openApiDocument(resources);
      this.#documents.set(key, document);
    }
    return document;
  }

  #groupVersions(): GroupVersion[] {
    const found = new Map<string, ResourceDefinition[]>();
    for (const definition of this.#world.kinds.all()) {
      const key = apiVersionOf(definition);
      const known = found.get(key);
      if (known === undefined) found.set(key, [definition]);
      else known.push(definition);
    }
    return [...found.values()].flatMap((resources) => {
      const [first] = resources;
      return first === undefined ? [] : [{ group: first.group, version: first.version, resources }];
    });
  }
}

const isAggregated = (accept: string) => accept.includes('as=APIGroupDiscoveryList') && accept.includes('v=v2;');

function groupOf(name: string, all: readonly GroupVersion[]): JsonObject {
  const versions = all
    .filter(({ group }) => group === name)
    .map((each) => ({ groupVersion: apiVersionOf(each), version: each.version }));
  return { name, versions, preferredVersion: versions[0] ?? { groupVersion: '', version: '' } };
}

function legacyResources(definition: ResourceDefinition): JsonObject[] {
  const { plural, singular, namespaced, kind, shortNames, categories, subresources } = definition;
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs,
      ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
      ...(categories.length > 0 && { categories: [...categories] }),
      storageVersionHash: '',
    },
    ...subresources.map((name): JsonObject => {
      const part = parts[name];
      const [group, version, partKind] = part?.kind ?? [undefined, undefined, kind];
      return {
        name: `${plural}/${name}`,
        singularName: '',
        namespaced,
        ...(group !== undefined && { group, version }),
        kind: partKind,
        verbs: [...(part?.verbs ?? [])],
      };
    }),
  ];
}

function aggregated(groupVersions: readonly GroupVersion[]): Answer {
  const groups = [...new Set(groupVersions.map(({ group }) => group))];
  const body = {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((group) => ({
      metadata: group === '' ? { creationTimestamp: null } : { name: group, creationTimestamp: null },
      versions: groupVersions
        .filter((each) => each.group === group)
        .map((each) => ({
          version: each.version,
          resources: each.resources.map(aggregatedResource),
          freshness: 'Current',
        })),
    })),
  };
  return {
    status: 200,
    contentType: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    body: JSON.stringify(body),
  };
}

function aggregatedResource(definition: ResourceDefinition): JsonObject {
  const { group, version, kind, plural, singular, namespaced, shortNames, categories, subresources } = definition;
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    ...(categories.length > 0 && { categories: [...categories] }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((name) => {
        const part = parts[name];
        const [partGroup = group, partVersion = version, partKind = kind] = part?.kind ?? [];
        return {
          subresource: name,
          responseKind: { group: partGroup, version: partVersion, kind: partKind },
          verbs: [...(part?.verbs ?? [])],
        };
      }),
    }),
  };
}
