// The layers of the design: arrows only point down. A new folder under src/ must be named here, or `unlayered` fails.
const layers = {
  model: [],
  rules: ['model'],
  plan: ['model', 'rules'],
  kube: [],
  api: ['model', 'kube'],
  engines: ['model'],
  operator: ['model', 'rules', 'plan', 'decide.ts', 'kube', 'api', 'engines'],
  embedded: ['model', 'rules', 'plan', 'decide.ts', 'kube', 'api', 'engines', 'operator'],
  cli: ['model', 'rules', 'plan', 'decide.ts', 'kube', 'api', 'engines', 'operator', 'embedded'],
  dashboard: ['model', 'api'],
};

const allowed = Object.entries(layers).map(([layer, below]) => ({
  name: `layer-${layer}`,
  comment: `src/${layer} may import ${below.length === 0 ? 'nothing else of src' : below.map((name) => `src/${name}`).join(', ')}`,
  severity: 'error',
  from: { path: `^src/${layer}/` },
  to: { path: '^src/', pathNot: [layer, ...below].map((name) => (name.endsWith('.ts') ? `^src/${name}$` : `^src/${name}/`)) },
}));

module.exports = {
  forbidden: [
    ...allowed,
    {
      name: 'unlayered',
      comment: 'every folder of src/ has a place in the layers above',
      severity: 'error',
      from: { path: '^src/', pathNot: [...Object.keys(layers).map((name) => `^src/${name}/`), '^src/decide(\\.test)?\\.ts$'] },
      to: {},
    },
    {
      name: 'layer-decide',
      severity: 'error',
      from: { path: '^src/decide\\.ts$' },
      to: { path: '^src/', pathNot: ['^src/(model|rules|plan)/'] },
    },
    {
      name: 'core-is-pure',
      comment: 'the core reads no clock, file or network',
      severity: 'error',
      from: { path: '^src/(model|rules|plan|decide\\.ts)', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core', 'npm'] },
    },
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'product-does-not-import-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: ['\\.test\\.ts$', '^src/[^/]+/testing/', '^src/embedded/'] },
      to: { path: ['^(test|tools|bench)/', '/testing/', '\\.test\\.ts$'] },
    },
  ],
  options: {
    parser: 'swc',
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.json'], conditionNames: ['import', 'node', 'default'], exportsFields: ['exports'] },
  },
};
