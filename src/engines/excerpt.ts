const most = 300;

/** What a program printed, fit for one line of a message: no control characters, no more than a person reads. */
export function excerpt(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  return line.length <= most ? line : `${line.slice(0, most)}...`;
}
