/** The API server counts bytes and refuses longer notes. */
const longestNote = 1024;
/** The same for reasons, actions and instances. */
const longestName = 128;

const ellipsis = '…';

/** A note that the API server takes: cut between two characters, and then ending in an ellipsis. */
export function fitNote(note: string): string {
  const text = note.toWellFormed();
  return Buffer.byteLength(text) <= longestNote
    ? text
    : cut(text, longestNote - Buffer.byteLength(ellipsis)) + ellipsis;
}

/** A reason, an action or an instance that the API server takes. */
export function fitName(name: string): string {
  return cut(name.toWellFormed(), longestName);
}

function cut(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let end = limit;
  // 10xxxxxx goes on with a character that began before.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
