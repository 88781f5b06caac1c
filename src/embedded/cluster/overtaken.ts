import { isAlreadyExists, isNotFound } from '../../kube/errors.ts';

/**
 * Runs a write whose object may be gone by now; then there is nothing left to do. A conflict is not forgiven: it may be a fault, and only
 * another try tells.
 */
export async function unlessGone(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Runs a create that may have happened before, such as one whose answer was lost. */
export async function unlessThere(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
