import type * as x509 from '@peculiar/x509';

/** The library that makes certificates, loaded when the first one is made: 90 ms that most processes never need to spend. */
export async function loadX509(): Promise<typeof x509> {
  // One of its dependencies does not load without it.
  await import('reflect-metadata');
  return import('@peculiar/x509');
}
