import type { ViewState } from '../view-state.ts';

const serving = (database: string, id: string) => ({ database, id, state: 'serving', percent: null }) as const;
const leading = (database: string, id: string) => ({ database, id, state: 'leading', percent: null }) as const;

/** A moment in the middle of a busy act: every state of a node and of a process group, and more waits than fit on a small screen. */
export const busyMoment: ViewState = {
  time: '2026-11-08 08:14:35',
  speed: 60,
  hints: [
    'export KUBECONFIG=/tmp/drover-demo-L9W2Gt/kubeconfig',
    'kubectl get statefulclusters,pods,pdb -A -o wide',
    'kubectl drain n3 --ignore-daemonsets',
    'kubectl taint node n4 example.com/maintenance=yes:NoSchedule',
  ],
  act: {
    headline: 'Act 3 of 5: A disk dies, and somebody drains the wrong node',
    lines: [
      {
        kind: 'plan',
        text: 'The disk of shop/server-5 dies. Some of its shards now have one copy left, on server-9, and jane drains n1, where that is.',
      },
      {
        kind: 'why',
        text: 'The store makes the lost copies again from those that are left. Until they are whole, nothing that holds the only copy may go, whoever asks.',
      },
    ],
  },
  terminal: [
    '$ kubectl drain n1 --ignore-daemonsets',
    'node/n1 cordoned',
    'evicting pod shop/shop-server-9',
    'error when evicting pods/"shop-server-9" -n "shop" (will retry after 5s): admission webhook "evict.drover.dev" denied the request: drover: server-9 stays: it leads 4 units, first shard s1',
    'Warning: drover: shop-server-9 8 %, about 5 min left',
  ],
  zones: [
    {
      name: 'z1',
      nodes: [
        {
          name: 'n1',
          marks: ['cordoned'],
          groups: [{ database: 'shop', id: 'server-9', state: 'emptying', percent: 45 }],
        },
        {
          name: 'n4',
          marks: ['tainted example.com/maintenance'],
          groups: [{ database: 'ledger', id: 'log-3', state: 'going', percent: null }],
        },
        { name: 'n7', marks: [], groups: [serving('ledger', 'log-2'), leading('shop', 'server-7')] },
      ],
    },
    {
      name: 'z2',
      nodes: [
        { name: 'n2', marks: [], groups: [serving('ledger', 'log-1'), leading('shop', 'server-8')] },
        { name: 'n5', marks: [], groups: [{ database: 'shop', id: 'server-5', state: 'filling', percent: 8 }] },
        { name: 'n8', marks: [], groups: [] },
      ],
    },
    {
      name: 'z3',
      nodes: [
        { name: 'n3', marks: ['dead'], groups: [{ database: 'shop', id: 'server-4', state: 'down', percent: null }] },
        { name: 'n6', marks: [], groups: [leading('reports', 'single-1')] },
        { name: 'n9', marks: [], groups: [serving('ledger', 'storage-6')] },
      ],
    },
  ],
  unplaced: [{ database: 'ledger', id: 'stateless-5', state: 'starting', percent: null }],
  databases: [
    {
      name: 'shop',
      says: 'a store of its own, behind the http contract: 12 shards in 2 copies, disks on the network',
      asks: ['jane wants shop-server-9 gone, since 08:12:30; asked 14 times'],
      waits: [
        'server-9 stays: it holds the only healthy copy of shard s1 (server-5: rebuilding); another copy is being made, 8 % of 4.0 GiB, about 5 min left',
        'server-9 stays: it leads shard s1, which has no in-sync follower',
      ],
      done: [
        '08:14:30 hand-off: server-9 stays: it leads 4 units, first shard s1',
        '08:14:15 server-9 is added: 4 server process groups instead of 5',
      ],
    },
    {
      name: 'ledger',
      says: 'FoundationDB: 24 GiB in 2 copies',
      asks: [],
      waits: ['stateless-5 cannot be placed: 0/9 nodes are available'],
      done: ['08:14:25 stateless-5 gets its pod'],
    },
    { name: 'reports', says: 'a lone server; what it holds exists once', asks: [], waits: [], done: [] },
  ],
};
