import type { JsonObject } from '../../src/embedded/api-server/json.ts';
import type { Step } from './api-server-parity.harness.ts';
import { get, patch, post, put, remove, type Scenario, scenario } from './api-server-parity.steps.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

const schema: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 9 },
        mode: { type: 'string', enum: ['Fast', 'Slow'], default: 'Fast' },
        name: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
        when: { type: 'string', format: 'date-time' },
        open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        either: { 'x-kubernetes-int-or-string': true },
        nested: { type: 'object', default: {}, properties: { deep: { type: 'boolean', default: true } } },
        entries: {
          type: 'array',
          maxItems: 2,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['id'],
          items: {
            type: 'object',
            required: ['id'],
            properties: { id: { type: 'string', maxLength: 20 }, value: { type: 'integer' } },
            'x-kubernetes-validations': [
              { rule: '!has(self.value) || self.value < 100', message: 'value must be small' },
            ],
          },
        },
      },
      'x-kubernetes-validations': [
        { rule: "self.mode != 'Slow' || self.size < 5", message: 'slow things are small', fieldPath: '.size' },
        { rule: 'self.size >= oldSelf.size', message: 'never shrinks' },
      ],
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } },
  },
};

const definition = (group: string): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing', shortNames: ['th'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.size',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Mode', type: 'string', jsonPath: '.spec.mode', priority: 1 },
          { name: 'First', type: 'string', jsonPath: '.spec.entries[0].id' },
          { name: 'Value', type: 'integer', jsonPath: '.spec.entries[?(@.id=="b")].value' },
        ],
      },
    ],
  },
});

function thingSteps(ns: string): readonly Step[] {
  const group = `${ns}.example.dev`;
  const things = `/apis/${group}/v1/namespaces/${ns}/things`;
  const thing = (name: string, spec: JsonObject): JsonObject => ({
    apiVersion: `${group}/v1`,
    kind: 'Thing',
    metadata: { name },
    spec,
  });
  const bad = (spec: JsonObject) => post(things, thing('bad', { size: 1, ...spec }));
  return [
    post(crds, definition(group)),
    { ...get(things), settles: true },
    {
      ...post(things, { ...thing('a', { size: 3, extra: 1, open: { anything: [1] } }), status: { replicas: 9 } }),
      settles: true,
    },
    get(`${things}/a`),
    post(`${things}?fieldValidation=Strict`, thing('b', { size: 3, extra: 1, nested: { odd: 1 } })),
    bad({ size: 0 }),
    bad({ size: 10 }),
    bad({ size: '1' }),
    bad({ mode: 'Medium' }),
    bad({ name: 'UPPER' }),
    bad({ name: 'waytoolong' }),
    bad({ when: 'yesterday' }),
    bad({ either: true }),
    bad({ mode: 'Slow', size: 6 }),
    bad({ entries: [{ id: 'x' }, { id: 'x' }] }),
    bad({ entries: [{ id: 'x' }, { id: 'y' }, { id: 'z' }] }),
    bad({ entries: [{ id: 'x', value: 100 }] }),
    bad({ entries: [{ value: 1 }] }),
    bad({ nested: null, mode: null }),
    post(
      things,
      thing('c', {
        size: 1,
        either: '5%',
        when: '2026-01-01T00:00:00Z',
        entries: [{ id: 'a' }, { id: 'b', value: 7 }],
      }),
    ),
    patch(`${things}/a`, 'merge', { spec: { size: 2 } }),
    patch(`${things}/a`, 'merge', { spec: { size: 5, nested: { deep: false } } }),
    // Which nulls stay is nowhere said, and a status that is patched has many.
    patch(`${things}/a`, 'merge', {
      spec: { open: { anything: [{ a: null, b: [{ c: null }] }, null], d: { e: null } } },
    }),
    patch(`${things}/a`, 'merge', { spec: { open: { anything: [{ a: null }], d: [{ e: null }], f: [{ g: null }] } } }),
    patch(`${things}/a/status`, 'merge', { spec: { size: 9 }, status: { replicas: 4, selector: 'a=b', odd: 1 } }),
    get(`${things}/a/scale`),
    patch(`${things}/a/scale`, 'merge', { spec: { replicas: 7 } }),
    get(`${things}/a`),
    patch(
      `${things}/c?fieldManager=x`,
      'apply',
      thing('c', { size: 2, entries: [{ id: 'b', value: 8 }, { id: 'q' }] }),
    ),
    patch(`${things}/c?fieldManager=x&force=true`, 'apply', thing('c', { size: 2, entries: [{ id: 'b', value: 8 }] })),
    { ...get(`${things}?includeObject=None`), accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' },
    put(`${things}/a`, thing('a', { size: 8 })),
    remove(`${things}/a`),
    remove(things),
  ];
}

const webhook = (name: string, more: JsonObject): JsonObject => ({
  metadata: { name },
  webhooks: [
    {
      name: 'a.example.dev',
      clientConfig: { service: { namespace: 'x', name: 'y' } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods/eviction'], operations: ['CREATE'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      namespaceSelector: { matchLabels: { nobody: 'has-this' } },
      ...more,
    },
  ],
});

export const definitions: readonly Scenario[] = [
  scenario('any custom kind', thingSteps),
  scenario('webhook configurations', (ns) => [
    post(webhooks, webhook(ns, {})),
    post(webhooks, webhook(`${ns}-b`, { sideEffects: 'Some' })),
    post(webhooks, webhook(`${ns}-b`, { timeoutSeconds: 31 })),
    put(`${webhooks}/${ns}`, webhook(ns, {})),
    patch(`${webhooks}/${ns}`, 'json', [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }]),
    patch(`${webhooks}/${ns}`, 'strategic', { webhooks: [{ name: 'a.example.dev', timeoutSeconds: 3 }] }),
    remove(`${webhooks}/${ns}`),
  ]),
];
