/** The version of the contract that this Drover speaks. A server names it in its health. */
export const contractVersion = 'v1';

/** What a server can be told to do, as it stands in the address. */
export const contractVerbs = ['hand-off', 'evacuate', 'cancel-evacuation', 'forget'] as const;
export type ContractVerb = (typeof contractVerbs)[number];

/** Where the endpoints stand, below the address that the spec names. They never move: another contract has another version. */
export const contractPaths = {
  topology: `/drover/${contractVersion}/topology`,
  health: `/drover/${contractVersion}/health`,
  verb: (verb: ContractVerb): string => `/drover/${contractVersion}/verbs/${verb}`,
} as const;
