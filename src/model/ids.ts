/** Names that must not be mixed up. They are strings at run time; `name` makes one of a string that was checked or generated. */
type Named<What extends string> = string & { readonly names: What };

/** `db/orders`: one StatefulCluster or EvictionGuard. */
export type ClusterKey = Named<'cluster'>;
/** `storage-4711`: one pod with its claim and service. For a guard it is the pod's name. */
export type ProcessGroupId = Named<'process group'>;
/** One server, as the engine calls it. */
export type ProcessId = Named<'process'>;
export type UnitId = Named<'unit'>;
export type QuorumId = Named<'quorum'>;
export type RoleName = Named<'role'>;
export type NodeName = Named<'node'>;
/** A fault domain: processes that can fail together. */
export type Zone = Named<'zone'>;
export type Uid = Named<'uid'>;

export function name<Id extends Named<string>>(text: string): Id {
  return text as Id;
}
