import { type DescribedKind, objectSchemaOf } from '../../src/api/crd.ts';
import { apiVersion } from '../../src/api/kind.ts';
import type { StructuralSchema } from '../../src/api/structural-schema.ts';
import { type FieldRow, fieldRows, ruleRows } from './field-rows.ts';
import { code, table } from './markdown.ts';
import { generatedNotice, type Output } from './output.ts';

/** The reference page of a kind. `more` is put at its end. */
export function kindReference(kind: DescribedKind, more = ''): Output {
  return { path: `docs/reference/${kebabCase(kind.kind)}.md`, content: () => page(kind, more) };
}

function page(kind: DescribedKind, more: string): string {
  const schema = objectSchemaOf(kind);
  const sections = [
    `<!-- ${generatedNotice} -->`,
    `# ${kind.kind}`,
    kind.description,
    table(
      ['apiVersion', 'kind', 'scope', 'kubectl get', 'category'],
      [[apiVersion, kind.kind, kind.scope, `${kind.plural}, ${kind.singular}, ${kind.shortName}`, 'drover'].map(code)],
    ),
    '## Fields of spec',
    fieldTable([...fieldRows(schema.properties?.['spec'] ?? {}, 'spec')], true),
    rulesSection(schema),
    '## Fields of status',
    'Drover writes these; nobody else should.',
    fieldTable([...fieldRows(schema.properties?.['status'] ?? {}, 'status')], false),
    conditionsSection(kind),
    columnsSection(kind),
    more,
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function fieldTable(rows: readonly FieldRow[], withDefaults: boolean): string {
  if (!withDefaults)
    return table(
      ['field', 'type', 'meaning'],
      rows.map((row) => [code(row.path), row.type, row.description]),
    );
  const cells = rows.map((row) => [code(row.path), row.type, row.fallback, row.description]);
  return table(['field', 'type', 'default', 'meaning'], cells);
}

function rulesSection(schema: StructuralSchema): string {
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ message }) => ({ path: 'the object', message }));
  const rules = [...own, ...ruleRows(schema.properties?.['spec'] ?? {}, 'spec')];
  if (rules.length === 0) return '';
  const rows = rules.map(({ path, message }) => [code(path), message]);
  return `## Rules\n\nThe API server refuses an object that breaks one of these, with this sentence.\n\n${table(['where', 'sentence'], rows)}`;
}

function conditionsSection({ conditions }: DescribedKind): string {
  const parts = conditions.map(({ type, whenTrue, whenFalse, reasons, alsoCodes }) => {
    const rows = Object.entries(reasons).map(([reason, means]) => [code(reason), means]);
    if (alsoCodes) rows.push(['a code of the reason catalogue', 'what holds the one that has waited longest']);
    return [`### ${type}`, `True: ${whenTrue}`, `False: ${whenFalse}`, table(['reason', 'means'], rows)].join('\n\n');
  });
  return ['## Conditions', ...parts].join('\n\n');
}

function columnsSection({ columns }: DescribedKind): string {
  const rows = columns.map(({ name, description, wide }) => [
    name.toUpperCase(),
    description,
    wide === true ? 'with `-o wide`' : 'always',
  ]);
  return `## Columns of kubectl get\n\n${table(['column', 'shows', 'when'], rows)}`;
}

function kebabCase(kind: string): string {
  return kind.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
}
