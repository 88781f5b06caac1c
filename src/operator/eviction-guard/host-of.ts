/** The host of an address, as engines write them: `10.0.0.7` of `10.0.0.7:4501:tls`, `fd00::7` of `[fd00::7]:4501`. */
export const hostOf = (address: string): string =>
  /^\[(.*)\]/.exec(address)?.[1] ?? address.replace(/^([^:]*):\d+(:tls)?$/, '$1');
