# Three processes and two shards that serve Drover's http contract: PORT=8080 TOKEN=sesame python3 server.py
# The first two lines of state stand for your system. Verbs are done at once here; list what takes time in the topology's "jobs".
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

processes = {id: {"pod": f"ledger-{n}", "leaving": False} for n, id in enumerate("abc")}
shards = {"s1": ["a", "b"], "s2": ["b", "c"]}  # The first copy leads.
VERBS = ["hand-off", "evacuate", "cancel-evacuation", "forget"]

def holds(id):
    return any(id in copies for copies in shards.values())

def topology():
    fine = {"state": "healthy", "inSync": True, "running": True}
    return {
        "processes": [{"id": id, "role": "shard", "pod": p["pod"], "responds": True, "excluded": p["leaving"],
                       "drained": p["leaving"] and not holds(id)} for id, p in processes.items()],
        "units": [{"id": id, "attached": True, "replicas": [{"process": process, "leader": n == 0, "movingAway": processes[process]["leaving"], **fine}
                                          for n, process in enumerate(copies)]} for id, copies in shards.items()],
        "quorums": [],
        "health": {"available": True, "fullyReplicated": True},
    }

def tell(verb, id, mine):
    if verb == "forget" and holds(id):
        raise ValueError(f"{id} still has copies")
    if verb == "forget":
        del processes[id]
    if verb in ("evacuate", "cancel-evacuation"):
        processes[id]["leaving"] = verb == "evacuate"
    for copies in mine:
        if verb == "hand-off" and copies[0] == id:
            copies.append(copies.pop(0))
        if verb == "evacuate":
            to = [other for other, p in processes.items() if not p["leaving"] and other not in copies]
            if not to:
                raise ValueError(f"there is no other place for a copy on {id}")
            copies[copies.index(id)] = to[0]

class Handler(BaseHTTPRequestHandler):
    def answer(self):
        token, verb = os.environ.get("TOKEN"), self.path.removeprefix("/drover/v1/verbs/")
        if token and self.headers.get("Authorization") != f"Bearer {token}":
            return 401, {"message": "who are you?"}
        if self.path == "/drover/v1/health":
            return 200, {"contract": "v1", "verbs": VERBS, "system": "sample"}
        if self.path == "/drover/v1/topology":
            return 200, topology()
        if verb not in VERBS:
            return 404, {"message": "no such endpoint"}
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        for id in filter(processes.get, request["processes"]):
            tell(verb, id, [copies for shard, copies in shards.items() if id in copies and shard in request.get("units", shards)])
        return 202, {}

    def do_GET(self):
        try:
            status, body = self.answer()
        except ValueError as error:
            status, body = 409, {"message": str(error)}
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    do_POST = do_GET

server = ThreadingHTTPServer((os.environ.get("HOST", ""), int(os.environ.get("PORT", 8080))), Handler)
print("listening on", server.server_address, flush=True)
server.serve_forever()
