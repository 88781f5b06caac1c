/** The port of the first process in a pod; each further one has the next but one, as FoundationDB's own operator has it. */
export const firstPort = 4501;

/** The port of a pod's n-th process, counted from 1. */
export const portOf = (number: number): number => firstPort + 2 * (number - 1);

/**
 * Starts a pod's fdbserver processes, once there is a connection string. Each keeps its own copy of the cluster file, because fdbserver
 * writes coordinators that changed into it and a mounted ConfigMap cannot be written. When one of several processes ends, so does the
 * container, and Kubernetes starts all of them anew. A pod that does not know its zone does not start: the database would take processes that
 * fail together for independent ones.
 *
 * Kubernetes replaces `$(NAME)` and `$$` before the shell sees them: neither may stand here.
 */
export function fdbserverScript({ data, logs }: { readonly data: string; readonly logs: string }): string {
  return `set -eu
if [ "\${DROVER_EMPTY_MONITOR_CONF:-}" = true ]; then exec sleep infinity; fi
for name in FDB_ZONE_ID FDB_PUBLIC_IP FDB_POD_IP; do
  if [ -z "\${!name:-}" ]; then
    echo "$name is empty, so fdbserver is not started. See spec.faultDomain and spec.publicIPSource of the StatefulCluster." >&2
    exit 1
  fi
done
until [ -s "$FDB_CLUSTER_FILE" ]; do sleep 1; done
at() { case "$1" in *:*) echo "[$1]:$2" ;; *) echo "$1:$2" ;; esac; }
start() {
  local port="$1" directory="$2"
  shift 2
  mkdir -p "$directory" '${logs}'
  cp "$FDB_CLUSTER_FILE" "$directory/fdb.cluster"
  exec fdbserver --class "$FDB_PROCESS_CLASS" --cluster_file "$directory/fdb.cluster" \\
    --public_address "\`at "$FDB_PUBLIC_IP" "$port"\`" --listen_address "\`at "$FDB_POD_IP" "$port"\`" \\
    --datadir "$directory" --logdir '${logs}' --locality_instance_id "$FDB_INSTANCE_ID" \\
    --locality_zoneid "$FDB_ZONE_ID" --locality_machineid "$FDB_MACHINE_ID" "$@"
}
if [ "$DROVER_PROCESSES_PER_POD" -eq 1 ]; then start ${firstPort} '${data}'; fi
trap 'kill -TERM \`jobs -p\` 2>/dev/null || true' TERM INT
for ((number = 1; number <= DROVER_PROCESSES_PER_POD; number++)); do
  let 'port = ${firstPort - 2} + 2 * number'
  start "$port" "${data}/$number" --locality_process_id "$FDB_INSTANCE_ID-$number" &
done
wait -n
`;
}
