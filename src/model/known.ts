/** What was asked and not answered. It is a value of its own, because taking it for `false` loses data one day. */
export type Unknown = 'unknown';
export const unknown: Unknown = 'unknown';

/** A fact, or the admission that nobody knows it. */
export type Known<T> = T | Unknown;

/** Certainly so. Unknown is never yes. */
export const isTrue = (fact: Known<boolean>): boolean => fact === true;

/** Certainly not so. Unknown is not no either. */
export const isFalse = (fact: Known<boolean>): boolean => fact === false;
