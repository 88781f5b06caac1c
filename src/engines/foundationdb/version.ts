/** A release such as 7.3.63. */
export type Version = readonly [major: number, minor: number, patch: number];

/** Undefined for what is no release number. What follows the three numbers (`-SNAPSHOT`) does not count. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)/.exec(text) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

/** The oldest, which is what all of them can do; undefined where one is not known. */
export function oldest(versions: readonly (Version | undefined)[]): Version | undefined {
  let least: Version | undefined;
  for (const version of versions) {
    if (version === undefined) return undefined;
    if (least === undefined || !atLeast(version, least)) least = version;
  }
  return least;
}

export function atLeast([major, minor, patch]: Version, [ofMajor, ofMinor, ofPatch]: Version): boolean {
  if (major !== ofMajor) return major > ofMajor;
  return minor === ofMinor ? patch >= ofPatch : minor > ofMinor;
}

/** Research 1.1: before these releases an exclusion by locality was not to be relied on. */
export function excludesByLocality(version: Version): boolean {
  const [major, minor] = version;
  return major === 7 && minor === 1 ? atLeast(version, [7, 1, 42]) : atLeast(version, [7, 3, 26]);
}

/** Research 3.7: older ones do not say when they last recovered. */
export const tellsRecoveryAge = (version: Version): boolean => atLeast(version, [7, 1, 22]);
