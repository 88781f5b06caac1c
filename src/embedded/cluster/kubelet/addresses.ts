/** Addresses that are given out once each: pods get them from 10.128.0.0/12, as on the real test control plane. */
export class Addresses {
  #given = 0;

  next(): string {
    this.#given += 1;
    const { high, middle, low } = split(this.#given);
    return `10.${128 + high}.${middle}.${low}`;
  }
}

/** The address of the n-th node, of 10.127.0.0/16. */
export const nodeAddress = (number: number): string => `10.127.${Math.floor(number / 250)}.${(number % 250) + 1}`;

function split(number: number): { readonly high: number; readonly middle: number; readonly low: number } {
  return { high: (number >> 16) & 15, middle: (number >> 8) & 255, low: number & 255 };
}
