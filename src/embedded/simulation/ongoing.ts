/** Something that goes on in a run until it is ended. */
export interface Ongoing {
  /** Once a tick. True: it is over by itself. */
  step?(): Promise<boolean>;
  end(): Promise<void> | void;
}
