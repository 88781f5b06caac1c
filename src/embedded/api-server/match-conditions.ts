import { compileCel, type Expression } from './cel/expression.ts';
import { type JsonObject, listAt, textAt } from './json.ts';
import { forbidden } from './status-error.ts';
import type { WriteRequest } from './write-request.ts';

const compiled = new Map<string, Expression>();

function expressionOf(source: string): Expression {
  let expression = compiled.get(source);
  if (expression === undefined) {
    expression = compileCel(source);
    compiled.set(source, expression);
  }
  return expression;
}

/**
 * Whether all conditions of a webhook hold. One that is false leaves the webhook out, whatever the others say; one that fails is answered by
 * the failure policy, as the real server does.
 */
export function matchesConditions(webhook: JsonObject, request: () => JsonObject, write: WriteRequest): boolean {
  const conditions = listAt(webhook, 'matchConditions');
  if (conditions.length === 0) return true;
  const asked = request();
  const variables = { request: asked, object: asked['object'] ?? null, oldObject: asked['oldObject'] ?? null };
  let failure: string | undefined;
  for (const condition of conditions) {
    const source = textAt(condition, 'expression');
    try {
      if (expressionOf(source)(variables) !== true) return false;
    } catch (error) {
      failure ??= `expression '${source}' resulted in error: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  if (failure === undefined) return true;
  if (textAt(webhook, 'failurePolicy') === 'Ignore') return false;
  throw forbidden(write.definition, write.name, failure);
}
