/** The invariants of the design that a run is held to, and `defect`: something broke that has no business to break. */
export type InvariantName = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6' | 'I7' | 'I8' | 'I9' | 'I10' | 'I11' | 'defect';

/** Something that must never be, and was. */
export interface Violation {
  readonly invariant: InvariantName;
  /** One sentence. */
  readonly what: string;
}

export const violation = (invariant: InvariantName, what: string): Violation => ({ invariant, what });
