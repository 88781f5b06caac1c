/** `description:id@10.0.0.1:4501,10.0.0.2:4501`: what a cluster file holds. */
export interface ConnectionString {
  readonly description: string;
  readonly id: string;
  readonly coordinators: readonly string[];
}

/** The connection string in the text of a cluster file; undefined where there is none. */
export function parseConnectionString(clusterFile: string): ConnectionString | undefined {
  const line = clusterFile
    .split('\n')
    .map((text) => text.trim())
    .find((text) => text !== '' && !text.startsWith('#'));
  const [, description, id, addresses] = /^([A-Za-z0-9_]+):([A-Za-z0-9]+)@(\S+)$/.exec(line ?? '') ?? [];
  if (description === undefined || id === undefined || addresses === undefined) return undefined;
  return { description, id, coordinators: addresses.split(',') };
}

export const formatConnectionString = ({ description, id, coordinators }: ConnectionString): string =>
  `${description}:${id}@${coordinators.join(',')}`;

/** As the client library writes it. */
export const clusterFileOf = (connection: ConnectionString): string =>
  `# DO NOT EDIT!\n# This file is auto-generated, it is not to be edited by hand\n${formatConnectionString(connection)}\n`;

/** The address without the port and what may follow it: `10.0.0.9:4501:tls` is `10.0.0.9`. */
export function hostOf(address: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([^:]+))/.exec(address) ?? [];
  return bracketed ?? plain ?? address;
}

/** `10.0.0.9:4501` of `10.0.0.9:4501:tls`. */
export const withoutFlags = (address: string): string => address.replace(/(:tls|\(fromHostname\))+$/, '');
