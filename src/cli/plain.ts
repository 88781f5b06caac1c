/** Control characters, line and paragraph separators, and marks that turn the direction of writing: all that could forge or garble a line. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** The text as one plain line: names and messages come from files and from other systems, and a terminal obeys what it is sent. */
export function plain(text: string): string {
  return text.replace(unprintable, ' ').trim();
}
