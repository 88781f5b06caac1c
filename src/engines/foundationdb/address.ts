import { isIPv4, isIPv6 } from 'node:net';

/** `10.0.0.9:4501:tls`, taken apart. */
export interface Address {
  /** An IP address without brackets, or a name where coordinators are known by DNS. */
  readonly host: string;
  readonly port: number | null;
}

/** `[::1]:4501`, `10.0.0.9`, `10.0.0.9:4501:tls(fromHostname)`. A colon in an address without brackets is part of it (`::1`). */
const form = /^(?:\[(?<bracketed>[0-9a-fA-F:.]+)\]|(?<plain>[A-Za-z0-9_.-]+))(?::(?<port>\d{1,5}))?(?::tls)?$/;

/** Undefined for what is no address. */
export function parseAddress(text: string): Address | undefined {
  const bare = withoutOrigin(text);
  if (isIPv6(bare)) return { host: bare, port: null };
  const { bracketed, plain, port } = form.exec(bare)?.groups ?? {};
  const host = bracketed ?? plain;
  if (host === undefined || (bracketed !== undefined && !isIPv6(bracketed))) return undefined;
  const number = port === undefined ? null : Number(port);
  return number !== null && number > 65_535 ? undefined : { host, port: number };
}

/** The database marks the addresses that it looked up by name; no command understands the mark. */
export const withoutOrigin = (text: string): string => text.replace(/\(fromHostname\)/, '');

/** Only these can be excluded: a process is known by where it is, not by what it is called. */
export const isIp = ({ host }: Address): boolean => isIPv4(host) || isIPv6(host);

/** The two mean one and the same process, or one of them the whole host of the other. */
export const overlap = (one: Address, other: Address): boolean =>
  one.host === other.host && (one.port === null || other.port === null || one.port === other.port);

/** As `exclude` and `include` take it: without a port all processes of the host are meant, and flags are not understood. */
export function exclusionWord({ host, port }: Address): string {
  if (port === null) return host;
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}
