import { type BadObject, rows } from './bad-object.ts';

/** Changes that make no sense, although the new object would be good. */
export const badChanges: readonly BadObject[] = [
  ...rows('StatefulCluster', [
    [
      'another engine',
      'spec.engine.type',
      'redis',
      'engine.type cannot be changed; create another StatefulCluster and move the data',
    ],
    [
      'another redundancy mode',
      'spec.engine.foundationdb.redundancyMode',
      'triple',
      'spec.engine: Invalid value',
      'engine.foundationdb.redundancyMode cannot be changed here; change it with fdbcli: configure <mode>',
    ],
    [
      'another storage engine',
      'spec.engine.foundationdb.storageEngine',
      'memory-2',
      'spec.engine: Invalid value',
      'engine.foundationdb.storageEngine cannot be changed here; change it with fdbcli',
    ],
  ]),
  ...rows('NodeDrain', [
    [
      'other nodes',
      'spec.nodes',
      ['n3'],
      'spec: Invalid value',
      'nodes cannot be changed; delete this NodeDrain, which undoes it, and create another',
    ],
    [
      'a selector for nodes',
      'spec',
      { nodeSelector: { matchLabels: { pool: 'blue' } } },
      'spec: Invalid value',
      'nodeSelector cannot be changed; delete this NodeDrain',
    ],
  ]),
];
