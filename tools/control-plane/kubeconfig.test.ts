import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { renderKubeconfig } from './kubeconfig.ts';

test('a kubeconfig carries server, authority and token in itself', () => {
  const access = { url: 'https://127.0.0.1:20001', authority: 'PEM', user: 'jane', token: '0123456789' };
  expect(parse(renderKubeconfig(access))).toEqual({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'drover', cluster: { server: 'https://127.0.0.1:20001', 'certificate-authority-data': 'UEVN' } },
    ],
    // A token of digits alone must stay a string.
    users: [{ name: 'jane', user: { token: '0123456789' } }],
    contexts: [{ name: 'jane@drover', context: { cluster: 'drover', user: 'jane' } }],
    'current-context': 'jane@drover',
  });
});
