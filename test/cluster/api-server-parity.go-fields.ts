import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * How Go writes a field that has its zero value: `emit` writes the zero (`""`, `0`, `{}`, null), `omit` (omitempty) leaves it out unless it is
 * a struct or a time, `drop` (omitzero) leaves it out always. Fields that are pointers are none of these: what was not set is not there, and
 * what was set stays, also a zero.
 */
export type GoField = 'omit' | 'drop' | 'emit';

export interface GoFieldTags {
  readonly zero: GoField | undefined;
  /** The number of the field in protobuf; `2.3` for a field of a struct that JSON shows inline. */
  readonly proto: string;
}

/** The fields of every struct, by the name that OpenAPI has for the struct. */
export type GoFields = ReadonlyMap<string, ReadonlyMap<string, GoFieldTags>>;

const packages: Readonly<Record<string, string>> = {
  'api@VERSION/core/v1': 'io.k8s.api.core.v1',
  'api@VERSION/apps/v1': 'io.k8s.api.apps.v1',
  'api@VERSION/autoscaling/v1': 'io.k8s.api.autoscaling.v1',
  'api@VERSION/batch/v1': 'io.k8s.api.batch.v1',
  'api@VERSION/policy/v1': 'io.k8s.api.policy.v1',
  'api@VERSION/coordination/v1': 'io.k8s.api.coordination.v1',
  'api@VERSION/events/v1': 'io.k8s.api.events.v1',
  'api@VERSION/storage/v1': 'io.k8s.api.storage.v1',
  'api@VERSION/admissionregistration/v1': 'io.k8s.api.admissionregistration.v1',
  'apimachinery@VERSION/pkg/apis/meta/v1': 'io.k8s.apimachinery.pkg.apis.meta.v1',
  'apiextensions-apiserver@VERSION/pkg/apis/apiextensions/v1':
    'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
};

/** What the Go types say that OpenAPI does not. `modules` is the folder `k8s.io` of Go's module cache. */
export function readGoFields(modules: string, version: string): GoFields {
  const structs = new Map<string, Map<string, GoFieldTags>>();
  for (const [folder, prefix] of Object.entries(packages)) {
    const path = join(modules, folder.replace('VERSION', version));
    const files = readdirSync(path).filter((name) => /^types.*\.go$/.test(name) && !name.includes('swagger'));
    const embedded: Embedded[] = [];
    for (const file of files) readStructs(readFileSync(join(path, file), 'utf8'), prefix, structs, embedded);
    // Backwards: an embedded struct that itself embeds one is declared after it.
    for (const { outer, inner, proto } of embedded.toReversed()) {
      for (const [name, tags] of structs.get(inner) ?? []) {
        structs.get(outer)?.set(name, { ...tags, proto: proto === '' ? tags.proto : `${proto}.${tags.proto}` });
      }
    }
  }
  return structs;
}

interface Embedded {
  readonly outer: string;
  readonly inner: string;
  readonly proto: string;
}

function readStructs(
  source: string,
  prefix: string,
  structs: Map<string, Map<string, GoFieldTags>>,
  embedded: Embedded[],
): void {
  let name = '';
  for (const line of source.split('\n')) {
    const start = /^type (\w+) struct \{/.exec(line);
    if (start !== null) {
      name = `${prefix}.${start[1]}`;
      structs.set(name, new Map());
    }
    const field = /^\t(?:(\w+)\s+)?(\S+)\s+`(.*)`/.exec(line);
    const [, , type = '', tags = ''] = field ?? [];
    const tag = /json:"([^"]*)"/.exec(tags)?.[1];
    if (tag === undefined || name === '') continue;
    const proto = /protobuf:"[^,"]*,(\d+)/.exec(tags)?.[1] ?? '';
    const [json = '', ...options] = tag.split(',');
    if (json === '') embedded.push({ outer: name, inner: `${prefix}.${type}`, proto });
    else structs.get(name)?.set(json, { zero: type.startsWith('*') ? undefined : zeroOf(options), proto });
  }
}

function zeroOf(options: readonly string[]): GoField {
  if (options.includes('omitzero')) return 'drop';
  return options.includes('omitempty') ? 'omit' : 'emit';
}
