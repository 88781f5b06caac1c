import { stringify } from 'yaml';
import { z } from 'zod';
import {
  healthSchema,
  refusalSchema,
  topologySchema,
  verbRequestSchema,
} from '../../src/engines/http/contract.schema.ts';
import { contractPaths, contractVerbs, contractVersion } from '../../src/engines/http/contract.ts';
import { generatedNotice, type Output } from './output.ts';

const documents = {
  Topology: topologySchema,
  Health: healthSchema,
  VerbRequest: verbRequestSchema,
  Refusal: refusalSchema,
};

/** The documents of the http contract, as a server sends and gets them. */
function schemas(): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Object.entries(documents).map(([name, schema]) => {
      const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
      return [name, rest];
    }),
  );
}

/** The JSON Schema of the http contract. */
export function httpContractSchema(): Output {
  return {
    path: 'docs/reference/http-contract.schema.json',
    content: () => {
      const schema = {
        $comment: generatedNotice,
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        title: `The http contract of Drover, ${contractVersion}`,
        $ref: '#/$defs/Topology',
        $defs: schemas(),
      };
      return `${JSON.stringify(schema, null, 2)}\n`;
    },
  };
}

const json = (schema: keyof typeof documents) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${schema}` } },
});

const refusal = (description: string) => ({ description, content: json('Refusal') });

const refusals = {
  401: refusal('The token is missing or wrong.'),
  403: refusal('The caller is known, and may not.'),
  500: refusal('Something is wrong in the server. Drover takes it as not knowing.'),
  503: refusal('Not now. Drover tries again.'),
};

const question = (operationId: string, summary: string, document: keyof typeof documents) => ({
  get: {
    operationId,
    summary,
    responses: { 200: { description: 'The whole answer.', content: json(document) }, ...refusals },
  },
});

const verb = {
  post: {
    operationId: 'verb',
    summary: 'Asks for something, and does not wait for it: what comes of it is read in the topology.',
    parameters: [{ name: 'verb', in: 'path', required: true, schema: { type: 'string', enum: contractVerbs } }],
    requestBody: { required: true, content: json('VerbRequest') },
    responses: {
      202: { description: 'It is under way, was so before, or there is nothing to do.' },
      409: refusal('No, for a reason that may pass. Drover tells people, and tries again later.'),
      ...refusals,
    },
  },
};

/** The http contract as OpenAPI. */
export function httpContractOpenApi(): Output {
  return {
    path: 'docs/reference/http-contract.openapi.yaml',
    content: () => {
      const document = {
        openapi: '3.1.0',
        info: {
          title: 'The http contract of Drover',
          version: contractVersion,
          description:
            'Three endpoints that any system can serve, so that Drover can guard or operate it. docs/how-to/serve-the-http-contract.md shows how.',
        },
        security: [{}, { bearer: [] }, { mutualTLS: [] }],
        paths: {
          [contractPaths.topology]: question('topology', 'What the system says of itself now.', 'Topology'),
          [contractPaths.health]: question('health', 'What the server is, and what it can be asked for.', 'Health'),
          [`/drover/${contractVersion}/verbs/{verb}`]: verb,
        },
        components: {
          securitySchemes: {
            bearer: { type: 'http', scheme: 'bearer' },
            mutualTLS: { type: 'mutualTLS' },
          },
          schemas: schemas(),
        },
      };
      return `# ${generatedNotice}\n${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`;
    },
  };
}
