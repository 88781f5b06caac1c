/** What the client says when no coordinator answers it: it knows its cluster file and nothing else. */
export function unreachableStatus(coordinators: readonly string[]): object {
  return {
    client: {
      cluster_file: { path: '/etc/foundationdb/fdb.cluster', up_to_date: false },
      coordinators: {
        coordinators: coordinators.map((address) => ({ address, reachable: false })),
        quorum_reachable: false,
      },
      database_status: { available: false, healthy: false },
      messages: [{ description: 'Unable to reach a quorum of coordinators.', name: 'quorum_not_reachable' }],
    },
    cluster: { layers: { _valid: false } },
  };
}
