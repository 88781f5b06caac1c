import type { Readable } from 'node:stream';

/** The body is longer than allowed, or all bodies together are. Nothing of it is kept, and the rest is not read. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
  readonly code = 'BodyTooLarge';
}

/** The other side went away before the body was complete. */
export class BodyCutShort extends Error {
  override readonly name = 'BodyCutShort';
  readonly code = 'BodyCutShort';
}

/** Asked before each chunk is kept. */
export type MayKeep = (bytes: number) => boolean;

/**
 * The whole body. Rejects with `BodyTooLarge` at the first chunk that may not be kept, with `BodyCutShort` when the body ends early, and
 * with the signal's reason when it is aborted; in all these cases it stops reading.
 */
export function readRequestBody(stream: Readable, mayKeep: MayKeep, signal: AbortSignal): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    const settle = (outcome: () => void) => {
      signal.removeEventListener('abort', onAbort);
      stream.off('data', onData).off('end', onEnd).off('close', onCut).off('aborted', onCut);
      outcome();
    };
    const fail = (error: unknown) =>
      settle(() => {
        stream.pause();
        reject(error);
      });
    const onAbort = () => fail(signal.reason);
    const onCut = () => fail(new BodyCutShort('the connection ended before the body did'));
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks)));
    const onData = (chunk: Uint8Array) => {
      if (mayKeep(chunk.byteLength)) chunks.push(chunk);
      else fail(new BodyTooLarge('the body is too large'));
    };
    // Stays: an error that comes after the outcome has nobody else to hear it, and would end the process.
    stream.on('error', onCut);
    stream.on('data', onData).on('end', onEnd).on('close', onCut).on('aborted', onCut);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
