import type { ViewState } from '../view-state.ts';

const serving = (database: string, id: string) => ({ database, id, state: 'serving', percent: null }) as const;
const leading = (database: string, id: string) => ({ database, id, state: 'leading', percent: null }) as const;

/** A moment in the middle of a busy act: every state of a node and of a process group, and more waits than fit on a small screen. */
export const busyMoment: ViewState = {
  time: '2026-11-08 08:14:35',
  speed: 60,
  hints: [
    'export KUBECONFIG=/tmp/drover-demo-L9W2Gt/kubeconfig',
    'kubectl get pods -A -o wide',
    'kubectl taint node n4 example.com/maintenance=yes:NoSchedule',
  ],
  act: {
    headline: 'Act 3 of 5: A disk dies, and somebody drains the wrong node',
    lines: [
      {
        kind: 'plan',
        text: 'The disk of shop/dbserver-5 dies. Some of its shards now have one copy left, on dbserver-9, and jane drains n1, where that is.',
      },
      {
        kind: 'why',
        text: 'The store makes the lost copies again from those that are left. Until they are whole, nothing that holds the only copy may go, whoever asks.',
      },
    ],
  },
  zones: [
    {
      name: 'z1',
      nodes: [
        {
          name: 'n1',
          marks: ['cordoned'],
          groups: [{ database: 'shop', id: 'dbserver-9', state: 'emptying', percent: 45 }],
        },
        {
          name: 'n4',
          marks: ['tainted example.com/maintenance'],
          groups: [{ database: 'ledger', id: 'agent-3', state: 'going', percent: null }],
        },
        { name: 'n7', marks: [], groups: [serving('shop', 'agent-2'), leading('shop', 'dbserver-7')] },
      ],
    },
    {
      name: 'z2',
      nodes: [
        { name: 'n2', marks: [], groups: [serving('shop', 'agent-1'), leading('shop', 'dbserver-8')] },
        { name: 'n5', marks: [], groups: [{ database: 'shop', id: 'dbserver-5', state: 'filling', percent: 8 }] },
        { name: 'n8', marks: [], groups: [] },
      ],
    },
    {
      name: 'z3',
      nodes: [
        { name: 'n3', marks: ['dead'], groups: [{ database: 'shop', id: 'dbserver-4', state: 'down', percent: null }] },
        { name: 'n6', marks: [], groups: [leading('reports', 'single-1')] },
        { name: 'n9', marks: [], groups: [serving('ledger', 'dbserver-5')] },
      ],
    },
  ],
  unplaced: [{ database: 'shop', id: 'agent-3', state: 'starting', percent: null }],
  databases: [
    {
      name: 'shop',
      says: '12 shards in 2 copies each, and an agency of 3',
      waits: [
        'dbserver-9 stays: it holds the only healthy copy of shard s1 (dbserver-5: rebuilding); another copy is being made, 8 % of 4.0 GiB, about 5 min left',
        'agent-3 cannot be placed: 0/9 nodes are available',
        'dbserver-9 is being emptied',
      ],
      done: [
        '08:14:30 dbserver-9 is being emptied: jane wants it gone; all that it holds moves away, not to n1',
        '08:14:15 dbserver-9 is added: 4 dbserver process groups instead of 5',
      ],
    },
    { name: 'ledger', says: '6 shards in 3 copies each', waits: [], done: ['08:14:25 agent-3 gets its pod'] },
    { name: 'reports', says: 'a lone server; what it holds exists once', waits: [], done: [] },
  ],
};
