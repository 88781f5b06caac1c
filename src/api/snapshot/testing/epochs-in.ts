/** Every number that could be a moment in milliseconds, with its key: since 2001 they have all been above this, and no count is. */
export function epochsIn(value: unknown, key = ''): string[] {
  if (typeof value === 'number') return value > 1e12 ? [`${key}: ${value}`] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => epochsIn(member, Array.isArray(value) ? key : name));
}
