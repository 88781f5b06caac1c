import { z } from 'zod';
import { name } from '../../model/ids.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Topology, Unreachable } from '../../model/topology.ts';
import { snapshotSchema } from './snapshot.schema.ts';

type FileSnapshot = z.output<typeof snapshotSchema>;

/** One thing that is wrong with a snapshot, and where: the steps from the top of the document. */
export interface SnapshotFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export type ReadSnapshot =
  | { readonly snapshot: Snapshot; readonly faults?: never }
  | { readonly snapshot?: never; readonly faults: readonly SnapshotFault[] };

/** The snapshot that a parsed file describes, or everything that is wrong with its form. */
export function readSnapshot(document: unknown): ReadSnapshot {
  const parsed = snapshotSchema.safeParse(document);
  if (!parsed.success) return { faults: parsed.error.issues.flatMap((issue) => faultsOf(issue)) };
  return { snapshot: { ...parsed.data, topology: completed(parsed.data.topology) } };
}

/** The document that `readSnapshot` makes the same snapshot of. */
export function writeSnapshot(snapshot: Snapshot): unknown {
  // The model's lists are readonly, those of the schema are not: encoding only reads them.
  const schema: z.ZodType = snapshotSchema;
  return z.encode(schema, snapshot);
}

/** The JSON Schema of the file, for editors and for programs. */
export function snapshotJsonSchema(): object {
  return z.toJSONSchema(snapshotSchema, { io: 'input', target: 'draft-2020-12' });
}

/** Fills in what follows from the rest: a process is in the group of its own name, a unit is called by its id, a quorum is a majority. */
function completed(view: FileSnapshot['topology']): Topology | Unreachable {
  if ('unreachable' in view) return view;
  return {
    ...view,
    processes: view.processes.map((process) => ({
      ...process,
      group: process.group === undefined ? name(process.id) : process.group,
    })),
    units: view.units.map((unit) => ({ ...unit, name: unit.name ?? `unit ${unit.id}` })),
    quorums: view.quorums.map((quorum) => ({
      ...quorum,
      name: quorum.name ?? `quorum ${quorum.id}`,
      needed: quorum.needed ?? Math.floor(quorum.members.length / 2) + 1,
    })),
  };
}

function faultsOf(issue: z.core.$ZodIssue, prefix: readonly (string | number)[] = []): SnapshotFault[] {
  const path = [...prefix, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: 'is not a field of a snapshot' }));
  }
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ path, message: issue.message }];
  const values = allowedValues(issue.errors);
  if (values !== undefined) return [{ path, message: `Invalid option: expected one of ${values.join('|')}` }];
  return closest(issue.errors).flatMap((inner) => faultsOf(inner, path));
}

type Branch = readonly z.core.$ZodIssue[];

/** Every word that any branch of a union would take, where words are all that it takes. */
function allowedValues(branches: readonly Branch[]): readonly string[] | undefined {
  const values = branches.map(([issue, ...more]) =>
    issue?.code === 'invalid_value' && issue.path.length === 0 && more.length === 0 ? issue.values : undefined,
  );
  const words = values.flatMap((some) => some?.map((value) => JSON.stringify(value)) ?? []);
  return values.includes(undefined) ? undefined : words;
}

/** A union says only that nothing fitted. The branch that got furthest before something was wrong is the one that was meant. */
function closest(branches: readonly Branch[]): Branch {
  return branches.reduce((best, branch) => {
    const further = shallowest(branch) - shallowest(best);
    return further > 0 || (further === 0 && branch.length < best.length) ? branch : best;
  });
}

/** How deep below the union the first fault lies. A field that does not belong there is as deep as the field. */
const shallowest = (branch: Branch): number =>
  Math.min(...branch.map(({ code, path }) => path.length + (code === 'unrecognized_keys' ? 1 : 0)));
