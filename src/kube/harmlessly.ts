/**
 * Calls a hook that somebody else wrote, for measuring or logging. What it throws is dropped: watching the work may never stop it, and
 * there is nobody left to tell.
 */
export function harmlessly(hook: () => void): void {
  try {
    hook();
  } catch {
    // See above.
  }
}
