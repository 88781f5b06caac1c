import { rename, writeFile } from 'node:fs/promises';

/** `description:id@address,address`. */
const connectionString = /^\w+:\w+@\S+$/;

/** The coordinators in a connection string, as it spells them; undefined where it is none. */
export function coordinatorsIn(text: string): readonly string[] | undefined {
  if (!connectionString.test(text)) return undefined;
  const addresses = text.slice(text.indexOf('@') + 1).split(',');
  return addresses.every((address) => address !== '') ? addresses : undefined;
}

/** Puts a connection string where fdbcli looks for it, whole or not at all. Throws for what is no connection string. */
export async function writeClusterFile(path: string, text: string): Promise<void> {
  if (coordinatorsIn(text) === undefined) throw new Error(`${JSON.stringify(text)} is no connection string`);
  const draft = `${path}.new`;
  // The client library rewrites it, and it names the way to all the data: nobody else needs to read it.
  await writeFile(draft, `${text}\n`, { mode: 0o600 });
  await rename(draft, path);
}
