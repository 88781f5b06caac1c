import { cpSync, globSync, mkdtempSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cacheFolder, readRecipe, sourceFolder } from './build-recipe.ts';

function copySources(): string {
  const folder = mkdtempSync(join(tmpdir(), 'recipe-'));
  for (const name of globSync('{*.go,kubectl/*.go,go.*}', { cwd: sourceFolder }))
    cpSync(join(sourceFolder, name), join(folder, name));
  return folder;
}

describe('the key of a build', () => {
  test('names the version of Kubernetes and the platform', () => {
    expect(readRecipe(sourceFolder, 'linux-arm64').key).toMatch(/^v1\.\d+\.\d+-linux-arm64-[0-9a-f]{12}$/);
  });

  test('names the version of the kubectl where that is all there is to build', () => {
    expect(readRecipe(join(sourceFolder, 'older-kubectl')).key).toMatch(/^v1\.33\.\d+-/);
  });

  test('is the same for the same sources elsewhere', () => {
    expect(readRecipe(copySources()).key).toBe(readRecipe().key);
  });

  test.each(['main.go', 'kubectl/main.go', 'kwok.go', 'lifeline.go', 'go.mod', 'go.sum'])('changes with %s', (name) => {
    const folder = copySources();
    writeFileSync(join(folder, name), '\n// a change\n', { flag: 'a' });
    expect(readRecipe(folder).key).not.toBe(readRecipe().key);
  });

  test('does not change with anything that is not compiled', () => {
    const folder = copySources();
    writeFileSync(join(folder, 'README.md'), 'words');
    expect(readRecipe(folder).key).toBe(readRecipe().key);
  });
});

test('the binary is stamped with the version that go.mod asks for', () => {
  const { kubernetesVersion, goArgs } = readRecipe();
  expect(goArgs.at(-1)).toContain(`-X k8s.io/component-base/version.gitVersion=${kubernetesVersion}`);
  expect(goArgs.at(-1)).toContain('-X k8s.io/client-go/pkg/version.gitTreeState=clean');
});

test.each([
  [{ DROVER_CACHE: '/a', XDG_CACHE_HOME: '/b' }, '/a/control-plane'],
  [{ XDG_CACHE_HOME: '/b' }, '/b/drover/control-plane'],
  [{ DROVER_CACHE: '', XDG_CACHE_HOME: '' }, join(homedir(), '.cache/drover/control-plane')],
])('with %o binaries are kept in %s', (env, expected) => {
  expect(cacheFolder(env)).toBe(expected);
});
