/** What a process group does, as a person sees it. */
export type GroupState = 'serving' | 'leading' | 'emptying' | 'filling' | 'starting' | 'going' | 'down';

/** A process group on its node. */
export interface GroupInView {
  readonly database: string;
  readonly id: string;
  readonly state: GroupState;
  /** How far it is emptied or filled; null where that is not known or makes no sense. */
  readonly percent: number | null;
}

/** A node with what is on it. */
export interface NodeInView {
  readonly name: string;
  /** `dead`, `cordoned`, the keys of taints. None: it is ready. */
  readonly marks: readonly string[];
  readonly groups: readonly GroupInView[];
}

/** A database: who waits in it, and what was done for it. */
export interface DatabaseInView {
  readonly name: string;
  readonly says: string;
  /** Who wants which pod gone, and which may go now. */
  readonly asks: readonly string[];
  /** Who waits for what, each once, the most telling first. */
  readonly waits: readonly string[];
  /** The last things done, newest first, each with its time. */
  readonly done: readonly string[];
}

/** What is told of the act that is being played, or of the story once it is over. */
export interface ActInView {
  readonly headline: string;
  readonly lines: readonly { readonly kind: 'plan' | 'why' | 'result' | 'failure'; readonly text: string }[];
}

/** Everything that the view shows at one moment. */
export interface ViewState {
  /** The demo's own time: `2026-11-08 09:14:15`. */
  readonly time: string;
  readonly speed: number;
  /** What a person may type into another terminal, the most important first. */
  readonly hints: readonly string[];
  readonly act: ActInView | null;
  /** The last lines that jane's kubectl printed. */
  readonly terminal: readonly string[];
  readonly zones: readonly { readonly name: string; readonly nodes: readonly NodeInView[] }[];
  /** Process groups whose pod has no node. */
  readonly unplaced: readonly GroupInView[];
  readonly databases: readonly DatabaseInView[];
}
